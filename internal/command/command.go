// Package command starts other programs and passes names to them safely. Compilers, linkers and archivers read a word that begins with @ as
// a file of options. They read one that begins with - as an option, which may load a plug-in and so run any code. A scheduler reads options
// from lines of a script. So every name from a user or a file goes through this package; a test of internal/floors checks that.
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

// Tool prepares a call of a compiler, a linker, an archiver or a scheduler. Words are options and names. None is read as a file of options,
// even if the tool cuts it off an option and passes it on to another tool. Ctrl-C reaches only us, and we end the tool with all its
// children: a tool that Ctrl-C ended by itself would look as if it had failed.
func Tool(ctx context.Context, program string, words ...string) *exec.Cmd {
	safe := make([]string, len(words))
	for i, word := range words {
		safe[i] = escapeWord(word)
	}
	c := exec.CommandContext(ctx, program, safe...)
	setProcessGroup(c)
	return c
}

// joined are options whose argument clang cuts off and passes on as a separate word.
var joined = []string{"-I", "-D", "-U", "-isystem", "-iquote", "-idirafter", "-include", "-MT", "-MQ", "-MF", "-o", "-x"}

// escapeWord returns a word that tools do not read as a file of options.
func escapeWord(word string) string {
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

// Program prepares the start of a user's program by its path. PATH is not searched, and the arguments are passed unchanged.
func Program(ctx context.Context, path string, arguments ...string) *exec.Cmd {
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	return exec.CommandContext(ctx, path, arguments...)
}

// File spells a path so that a program takes it for a path, not an option or an assignment.
func File(path string) string {
	if path != "" && strings.ContainsRune("-@=+", rune(path[0])) {
		return "./" + path
	}
	return path
}

// Quote quotes a word for a shell.
func Quote(word string) string {
	if word != "" && !strings.ContainsAny(word, " \t\n\r'\"\\$&|;<>()*?[]#~`!{}") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// CheckLine returns an error for a text that would break out of its line in a script: one with control characters or Unicode's line ends.
// what names the text in the error.
func CheckLine(what, text string) error {
	for i, r := range text {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r == unicode.ReplacementChar {
			return fmt.Errorf("%s %s holds the character %U at byte %d, which has no place in a script; take another name", what,
				strconv.Quote(text), r, i+1)
		}
	}
	return nil
}
