package bundle

import (
	"context"
	"errors"
	"fmt"
	"go/build"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/keplersim/keplersim/internal/command"
	"github.com/keplersim/keplersim/internal/files"
)

// Keplersim is the path of keplersim's own module.
const Keplersim = "github.com/keplersim/keplersim"

// mostSource bounds a source file of a module, in bytes.
const mostSource = 4 << 20

// Own returns the module and package of a program with its own policies; both are "" for keplersim itself.
func Own(info *debug.BuildInfo) (module, pkg string) {
	if info == nil || info.Main.Path == "" || info.Main.Path == Keplersim {
		return "", ""
	}
	pkg = strings.TrimPrefix(strings.TrimPrefix(info.Path, info.Main.Path), "/")
	if pkg == "" || info.Path == "command-line-arguments" {
		pkg = "."
	}
	return info.Main.Path, pkg
}

// FindModule returns the folder of a module: one of folders, or one above it.
func FindModule(module string, folders ...string) (string, error) {
	for _, folder := range folders {
		folder, err := filepath.Abs(folder)
		for err == nil {
			if text, failed := files.Read(filepath.Join(folder, "go.mod"), mostSource); failed == nil &&
				modfile.ModulePath(text) == module {
				return folder, nil
			}
			if filepath.Dir(folder) == folder {
				break
			}
			folder = filepath.Dir(folder)
		}
	}
	return "", fmt.Errorf("the source of %s, whose policies this program has, is not in %s or above", module, strings.Join(folders, ", "))
}

// ReadSource returns the source of a module's program with its commit, and the commit of keplersim if the module takes that from a folder.
func ReadSource(ctx context.Context, folder, module, pkg string) (*Source, []Member, error) {
	s := &Source{Module: module, Package: pkg}
	names, err := sourceFiles(folder)
	if err != nil {
		return nil, nil, err
	}
	s.Commit, s.Changed = CommitOf(ctx, folder, names...)
	text, err := files.Read(filepath.Join(folder, "go.mod"), mostSource)
	if err != nil {
		return nil, nil, fmt.Errorf("read the module's go.mod: %w", err)
	}
	mod, err := modfile.Parse("go.mod", text, nil)
	if err != nil {
		return nil, nil, err
	}
	for _, r := range mod.Replace {
		if !modfile.IsDirectoryPath(r.New.Path) {
			continue
		}
		if r.Old.Path != Keplersim {
			return nil, nil, fmt.Errorf("%s/go.mod takes %s from the folder %s, which is not in the bundle: "+
				"put the code into this module, "+
				"or require a published version", folder, r.Old.Path, r.New.Path)
		}
		other := r.New.Path
		if !filepath.IsAbs(other) {
			other = filepath.Join(folder, filepath.FromSlash(other))
		}
		s.Keplersim, _ = CommitOf(ctx, other)
	}
	var members []Member
	for _, name := range names {
		members = append(members, Member{Name: path.Join(PoliciesFolder, filepath.ToSlash(name)), Disk: filepath.Join(folder, name)})
	}
	return s, members, nil
}

// CommitOf returns the commit of a folder, "" if git knows none, and whether any of the files differs from it.
func CommitOf(ctx context.Context, folder string, names ...string) (commit string, changed bool) {
	git, err := exec.LookPath("git")
	if err != nil {
		return "", false
	}
	say := func(words ...string) string {
		out, err := command.Tool(ctx, git, append([]string{"-C", folder}, words...)...).Output()
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(out))
	}
	commit = say("rev-parse", "HEAD")
	return commit, commit != "" && len(names) > 0 && say(append([]string{"status", "--porcelain", "--ignored", "--"}, names...)...) != ""
}

// sourceFiles returns the files that a module's packages are built from, relative to the module's folder: code, go.mod and go.sum, embedded
// files, and the licence. It leaves out tests and nested modules.
func sourceFiles(folder string) (list []string, err error) {
	err = filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !d.IsDir() {
			if relative, isSource := sourceFile(folder, name, d); isSource {
				list = append(list, relative)
			}
			return nil
		}
		base := d.Name()
		_, inner := os.Stat(filepath.Join(name, "go.mod"))
		if name != folder && (strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || base == "testdata" || inner == nil) {
			return fs.SkipDir
		}
		pkg, err := build.ImportDir(name, 0)
		if none := new(build.NoGoError); err != nil && !errors.As(err, &none) {
			return fmt.Errorf("the source of the policies: %w", err)
		}
		for _, pattern := range pkg.EmbedPatterns {
			embedded, err := embeddedFiles(folder, name, strings.TrimPrefix(pattern, "all:"))
			if err != nil {
				return err
			}
			list = append(list, embedded...)
		}
		return nil
	})
	slices.Sort(list)
	if list = slices.Compact(list); len(list) > MostFiles {
		return nil, fmt.Errorf("%s has more than %d files of source", folder, MostFiles)
	}
	return list, err
}

// sourceFile reports whether a file is source, and returns its path relative to the module's folder.
func sourceFile(folder, name string, d fs.DirEntry) (relative string, ok bool) {
	relative, err := filepath.Rel(folder, name)
	base := d.Name()
	ok = slices.Contains([]string{".go", ".s", ".h"}, filepath.Ext(base)) && !strings.HasSuffix(base, "_test.go") ||
		name == filepath.Join(folder, base) && (base == "go.mod" || base == "go.sum" || strings.HasPrefix(base, "LICENSE"))
	return relative, err == nil && ok && d.Type().IsRegular()
}

// embeddedFiles returns the files that a go:embed pattern in a package matches.
func embeddedFiles(folder, pkg, pattern string) (list []string, err error) {
	found, err := filepath.Glob(filepath.Join(pkg, filepath.FromSlash(pattern)))
	for _, root := range found {
		walked := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				if name, err = filepath.Rel(folder, name); err == nil {
					list = append(list, name)
				}
			}
			return err
		})
		err = errors.Join(err, walked)
	}
	return list, err
}
