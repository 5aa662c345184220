// Site makes a web site from the same Markdown as the documentation. The README is the home page. Each page of docs becomes a page with the
// four shelves at its side and a search over all pages. The site needs no network. make site adds the lab.
//
//	go run ./tools/site [-root FOLDER] FOLDER
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	root := flag.String("root", ".", "the repository's root")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "site: name the folder to write to")
		os.Exit(2)
	}
	s, err := read(*root)
	if err == nil {
		err = s.write(flag.Arg(0))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
	fmt.Printf("%d pages in %s\n", len(s.pages), flag.Arg(0))
}
