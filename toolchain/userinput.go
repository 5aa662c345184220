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

// Names from users must reach clang only as names. An option begins with -, and can load a plug-in and with it any code. A file of options
// begins with @; clang also reads one when it passes a file's base name or the argument of -D and -I to its own compiler.

// source is a file to compile, in the form that clang gets.
type source struct {
	argument string   // its name, or - for text
	text     []byte   // for clang's standard input; nil for none
	flags    []string // that this input needs
}

// openSource prepares the user's file for clang. clang opens a regular file itself. Other files, names that begin with @, and all files if
// asText is set are read up to a bound and keep their names in messages. A given text replaces the file.
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
	// The line marker names the file, and the flag finds its includes.
	return source{argument: "-", text: append([]byte("# 1 "+quoted(name)+"\n"), text...),
		flags: []string{"-iquote" + command.File(filepath.Dir(name))}}, nil
}

// quoted returns a file's name in the preprocessor's syntax.
func quoted(name string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ").Replace(name) + `"`
}

// macro is NAME, NAME=VALUE or NAME(PARAMETERS)=VALUE, the forms that clang takes for definitions.
var macro = pattern.Lazy(`^[A-Za-z_]\w*(\([\w\s,.]*\))?(=[^\n\r\x00]*)?$`)

// standardName matches the names of C and C++ standards.
var standardName = pattern.Lazy(`^((c|gnu)(\+\+)?\w\w)?$`)

// CheckUserOptions rejects malformed definitions and include folders, as given by -D and -I.
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
