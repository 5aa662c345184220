package toolchain

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/keplersim/keplersim/internal/command"
	"github.com/keplersim/keplersim/internal/files"
	"github.com/keplersim/keplersim/internal/pattern"
)

// What users name reaches clang as names alone: neither as options, which begin with -, nor as files of options, which begin with @ and
// which clang reads also where it passes a file's base name or the argument of -D and -I on to its own compiler. An option can
// load a plug-in, and with it any code.

// source is a file to compile as clang is given it.
type source struct {
	argument string   // its name, or - for text
	text     []byte   // what clang reads from standard input; nil for nothing
	flags    []string // that go with it
}

// openSource takes hold of the file that a user names. What is no plain file is read, up to the bound; one whose name clang would take
// for a file of options is read as well, as is every file where asText says so, and keeps its name in messages. A text that is given takes
// the place of the file.
func openSource(name string, text []byte, asText bool) (source, error) {
	if text != nil {
		return source{argument: "-", text: text}, nil
	}
	info, err := os.Stat(name)
	if err != nil {
		return source{}, fmt.Errorf("compile CUDA C: %w", err)
	}
	plain := info.Mode().IsRegular()
	if plain && info.Size() > files.MostCode {
		return source{}, fmt.Errorf("compile CUDA C: %w", &files.TooLarge{Name: name, Most: files.MostCode})
	}
	if plain && !asText && !strings.HasPrefix(filepath.Base(name), "@") {
		return source{argument: command.File(name)}, checkText(name)
	}
	text, err = files.Read(name, files.MostCode)
	if err != nil {
		return source{}, fmt.Errorf("compile CUDA C: %w", err)
	}
	if err := checkTextBytes(name, text); err != nil {
		return source{}, err
	}
	// The line says which file the text is, and the flag where what it includes may lie.
	return source{argument: "-", text: append([]byte("# 1 "+quoted(name)+"\n"), text...),
		flags: []string{"-iquote" + command.File(filepath.Dir(name))}}, nil
}

// quoted returns a file's name as the preprocessor reads it.
func quoted(name string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ").Replace(name) + `"`
}

// macro is NAME, NAME=VALUE, NAME(PARAMETERS)=VALUE: anything else clang would not take for a definition.
var macro = pattern.Lazy(`^[A-Za-z_]\w*(\([\w\s,.]*\))?(=[^\n\r\x00]*)?$`)

// standardName is a version of C or C++ as clang has them.
var standardName = pattern.Lazy(`^((c|gnu)(\+\+)?\w\w)?$`)

// CheckUserOptions refuses definitions and folders that are none, as the flags -D and -I give them.
func CheckUserOptions(o Options) error {
	for _, define := range o.Defines {
		if !macro().MatchString(define) {
			return fmt.Errorf("-D %s: a macro is NAME or NAME=VALUE, as in BLOCK=16", strconv.Quote(define))
		}
	}
	if err := CheckCompiler(o.Compiler); err != nil {
		return err
	}
	if !standardName().MatchString(o.Standard) {
		return fmt.Errorf("std %s: name a version of C++, as in c++17", strconv.Quote(o.Standard))
	}
	for _, folder := range o.IncludeDirs {
		if folder == "" || strings.ContainsRune(folder, 0) {
			return errors.New("-I \"\": give the folder of the headers")
		}
		if info, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("-I %s: there is no such folder", folder)
		} else if err == nil && !info.IsDir() {
			return fmt.Errorf("-I %s: this is a file; give the folder of the headers", folder)
		}
	}
	return nil
}
