package nvcc

import (
	"bytes"
	"debug/elf"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/keplersim/keplersim/toolchain"
)

// units returns the names of objects with linked device code among a linker's arguments: objects, archives, and libraries by -l.
func (m *maker) units(arguments []string) []string {
	var folders, names []string
	for _, word := range arguments {
		if folder, ok := strings.CutPrefix(word, "-L"); ok {
			folders = append(folders, folder)
		}
	}
	folders = append(folders, filepath.SplitList(os.Getenv("LIBRARY_PATH"))...) // as the linker does, after the folders of -L
	for _, word := range arguments {
		files := []string{word}
		if library, ok := strings.CutPrefix(word, "-l"); ok {
			files = nil
			for _, folder := range folders {
				files = append(files, filepath.Join(folder, "lib"+library+".a"))
			}
		}
		for _, file := range files {
			if extension := filepath.Ext(file); extension == ".o" || extension == ".a" {
				names = append(names, unitsOf(file)...)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// unitsOf returns the names in one object or archive. Other files have none; the linker rejects them.
func unitsOf(file string) []string {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	if !bytes.Contains(text, []byte(toolchain.LinkedUnit)) {
		return nil
	}
	var names []string
	for _, object := range members(text) {
		file, err := elf.NewFile(bytes.NewReader(object))
		if err != nil {
			continue
		}
		symbols, err := file.Symbols()
		if err != nil {
			continue
		}
		for _, s := range symbols {
			if strings.HasPrefix(s.Name, toolchain.LinkedUnit) && s.Section != elf.SHN_UNDEF {
				names = append(names, s.Name)
			}
		}
	}
	return names
}

// members returns the files in an ar archive, or the file itself if it is none.
func members(text []byte) [][]byte {
	const magic, head = "!<arch>\n", 60
	if !bytes.HasPrefix(text, []byte(magic)) {
		return [][]byte{text}
	}
	var all [][]byte
	for at := len(magic); at+head <= len(text); {
		size, err := strconv.Atoi(strings.TrimSpace(string(text[at+48 : at+58])))
		from := at + head
		if err != nil || size < 0 || size > len(text)-from {
			break
		}
		all = append(all, text[from:from+size])
		at = from + size + size%2
	}
	return all
}
