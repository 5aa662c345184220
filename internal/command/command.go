// Package command starts other programs, and hands names to them. Compilers, linkers and archivers read a word that begins with @ as a
// file of options, and one that begins with - as an option, which may load a plug-in and with it any code; a scheduler reads its options
// from lines of a script. So every name that a user or a file gives goes through here; a test of internal/floors holds the tree to that.
package command

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
)

// Tool prepares a call of a compiler, a linker, an archiver or a scheduler. Words are options and names; none is read as a file of options,
// also where the tool cuts it off an option and hands it to a tool of its own. Ctrl-C reaches us alone, and we end the tool with all
// that it has started: a tool that ends by itself would look as if it had failed.
func Tool(ctx context.Context, program string, words ...string) *exec.Cmd {
	safe := make([]string, len(words))
	for i, word := range words {
		safe[i] = spell(word)
	}
	c := exec.CommandContext(ctx, program, safe...)
	apart(c)
	return c
}

// joined are options whose argument clang cuts off and hands on as a word of its own.
var joined = []string{"-I", "-D", "-U", "-isystem", "-iquote", "-idirafter", "-include", "-MT", "-MQ", "-MF", "-o", "-x"}

// spell returns a word that is no file of options.
func spell(word string) string {
	if strings.HasPrefix(word, "@") {
		return "./" + word
	}
	for _, option := range joined {
		if name, ok := strings.CutPrefix(word, option+"@"); ok {
			return option + "./@" + name
		}
	}
	for _, list := range []string{"-Wl,", "-Wa,", "-Wp,"} {
		if strings.HasPrefix(word, list) {
			return strings.ReplaceAll(word, ",@", ",./@")
		}
	}
	return word
}

// Program prepares the start of a user's program by its path: PATH is not searched, and the program gets its arguments as they are.
func Program(ctx context.Context, path string, arguments ...string) *exec.Cmd {
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	return exec.CommandContext(ctx, path, arguments...)
}

// File spells a path so that a program takes it for nothing but a path.
func File(path string) string {
	if path != "" && strings.ContainsRune("-@=+", rune(path[0])) {
		return "./" + path
	}
	return path
}

// Quote returns a word as a shell takes it for one.
func Quote(word string) string {
	if word != "" && !strings.ContainsAny(word, " \t\n\r'\"\\$&|;<>()*?[]#~`!{}") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// CheckLine refuses what would not stay on its line in a script: control characters, line ends of Unicode among them. what names the text.
func CheckLine(what, text string) error {
	for i, r := range text {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r == unicode.ReplacementChar {
			return fmt.Errorf("%s %s holds the character %U at byte %d, which has no place in a script; take another name", what,
				strconv.Quote(text), r, i+1)
		}
	}
	return nil
}
