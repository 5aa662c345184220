package study

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/keplersim/keplersim/code"
	"github.com/keplersim/keplersim/code/sources"
	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/internal/files"
	"github.com/keplersim/keplersim/study/bundle"
	"github.com/keplersim/keplersim/workload"
)

// Pack returns the files that the points of a study read, as members of a bundle, and names them in its manifest. They keep their relative
// places below their common folder. A file that is named by an absolute path is an error, because another machine does not have it.
func (s *Study) Pack(ctx context.Context, points []Point, m *bundle.Manifest) ([]bundle.Member, error) {
	list, err := s.reads(ctx, points)
	if err != nil {
		return nil, err
	}
	root := filepath.Dir(list[0])
	for _, file := range list {
		for !inside(root, file) {
			root = filepath.Dir(root)
		}
	}
	inBundle := func(file string) string {
		absolute, _ := filepath.Abs(file) // absolute, as the paths in list
		relative, _ := filepath.Rel(root, absolute)
		return path.Join(bundle.InputsFolder, filepath.ToSlash(relative))
	}
	var members []bundle.Member
	for _, file := range list {
		members = append(members, bundle.Member{Name: inBundle(file), Disk: file})
	}
	m.Study, m.Path, m.Run, m.Boards = s.Name, inBundle(s.Path), nil, nil
	for _, file := range s.Files {
		m.Run = append(m.Run, inBundle(file))
	}
	for i, name := range s.Boards {
		chip, err := configs.Load(name, nil)
		if err != nil {
			return nil, err
		}
		b := bundle.Board{Name: name, Values: fmt.Sprintf("%s/%d-%s.yaml", bundle.BoardsFolder, i+1, Title(name))}
		if chip.Base() == "" {
			b.File = inBundle(name)
		}
		m.Boards = append(m.Boards, b)
		members = append(members, bundle.Member{Name: b.Values, Data: []byte(chip.Values())})
	}
	return members, nil
}

// inside reports whether a file is in a folder or below it.
func inside(folder, file string) bool {
	relative, err := filepath.Rel(folder, file)
	return err == nil && filepath.IsLocal(relative)
}

// reads returns the sorted absolute paths of the files that points read, without keplersim's own files and system headers.
func (s *Study) reads(ctx context.Context, points []Point) ([]string, error) {
	list := append([]string{s.Path}, s.Files...)
	for _, board := range s.Boards {
		chip, err := configs.Load(board, nil)
		if err != nil {
			return nil, err
		}
		list = append(list, chip.Files()...)
	}
	for _, file := range s.Files {
		list = append(list, host.FilesOf(file, nil)...)
	}
	for _, file := range list {
		if err := wholePaths(file); err != nil {
			return nil, err
		}
	}
	for _, file := range slices.Clone(list) {
		if code.IsCUDA(file) {
			headers, err := headersBeside(file)
			if err != nil {
				return nil, err
			}
			list = append(list, headers...)
		}
	}
	own, err := s.included(ctx, points, list)
	if err != nil {
		return nil, err
	}
	return plainFiles(append(list, own...))
}

// plainFiles returns the sorted absolute paths of the names that are files. Names of embedded configurations and workloads are not.
func plainFiles(names []string) (list []string, err error) {
	for _, name := range names {
		if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
			continue
		}
		if name, err = filepath.Abs(name); err != nil {
			return nil, fmt.Errorf("the working directory: %w", err)
		}
		list = append(list, name)
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// wholePaths returns an error if a workload or a configuration names a file by an absolute path.
func wholePaths(file string) error {
	var names []string
	switch ext := strings.ToLower(filepath.Ext(file)); {
	case !slices.Contains(workload.Extensions, ext):
		return nil
	default:
		if w, err := workload.Load(file); err == nil {
			names = append(w.Names(), w.Config)
		} else if text, err := files.Read(file, mostText); err == nil {
			for line := range strings.Lines(string(text)) {
				if base, ok := strings.CutPrefix(line, "extends:"); ok {
					base = strings.TrimSpace(base)
					if plain, err := strconv.Unquote(base); err == nil {
						base = plain
					}
					names = append(names, base)
				}
			}
		}
	}
	for _, name := range names {
		if filepath.IsAbs(name) {
			return fmt.Errorf("%s names %s by its whole path, which another machine does not have: name it from the file's own folder",
				file,
				name)
		}
	}
	return nil
}

// included returns the headers that CUDA C files include, under each set of definitions and for each chip of the points. If a file does not
// compile, its row has the reason.
func (s *Study) included(ctx context.Context, points []Point, names []string) ([]string, error) {
	var sourcesOf []string
	for _, name := range names {
		if code.IsCUDA(name) && !slices.Contains(sourcesOf, name) {
			sourcesOf = append(sourcesOf, name)
		}
	}
	if len(sourcesOf) == 0 {
		return nil, nil
	}
	var list []string
	seen := map[string]bool{}
	for _, p := range points {
		l, err := s.prepare(p)
		if err != nil {
			continue // the row has the reason
		}
		compile := l.options.Code.Compile
		key := fmt.Sprint(compile.Defines, compile.FastMath, l.chip.ComputeCapability.Target())
		if seen[key] {
			continue
		}
		seen[key] = true
		for _, name := range sourcesOf {
			reader := sources.Reader{Compile: compile}
			if _, err := reader.PTX(ctx, name, l.chip.ComputeCapability.Target()); ctx.Err() != nil {
				return nil, ctx.Err()
			} else if err == nil {
				list = append(list, reader.Included...)
			}
		}
	}
	return slices.DeleteFunc(list, ofTheSystem), nil
}

// ofTheSystem reports whether a header belongs to the compiler or the system.
func ofTheSystem(header string) bool {
	header = filepath.ToSlash(header)
	return strings.HasPrefix(header, "/usr/") || strings.Contains(header, "/lib/clang/")
}

// Unpacked returns the study of a bundle that was unpacked to a folder. It fails if a workload or a board names a file outside of the
// folder.
func Unpacked(folder string, m *bundle.Manifest) (*Study, error) {
	at := func(name string) string { return filepath.Join(folder, filepath.FromSlash(name)) }
	text, err := files.Read(at(m.Path), mostText)
	if err != nil {
		return nil, fmt.Errorf("read the study: %w", err)
	}
	s, err := parseWith(at(m.Path), text, func([]string) (found []string, err error) {
		for _, name := range m.Run {
			found = append(found, at(name))
		}
		return found, nil
	})
	if err != nil {
		return nil, err
	}
	s.boardFiles = map[string]string{}
	for _, b := range m.Boards {
		if b.File != "" {
			s.boardFiles[b.Name] = at(b.File)
		}
		if !slices.Contains(s.Boards, b.Name) {
			return nil, fmt.Errorf("the bundle has a board %s that its study does not name", b.Name)
		}
	}
	for _, board := range s.Boards {
		if !slices.ContainsFunc(m.Boards, func(b bundle.Board) bool { return b.Name == board }) {
			return nil, fmt.Errorf("the bundle has no board %s, which its study names", board)
		}
		if err := s.contained(folder, board); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// contained returns an error if a workload or a board's configuration names a file outside of a bundle's folder.
func (s *Study) contained(folder, board string) error {
	var list []string
	if chip, err := configs.Load(s.boardFile(board), nil); err != nil {
		return err
	} else if s.boardFiles[board] != "" {
		list = chip.Files()
	}
	for _, file := range s.Files {
		list = append(list, host.FilesOf(file, nil)...)
	}
	for _, name := range list {
		if _, err := os.Stat(name); err == nil && !inside(folder, name) {
			return fmt.Errorf("a file of the bundle names %s, which is not in the bundle", name)
		}
	}
	return nil
}

// SameInputs returns an error that names a point for which another copy of the study reads something else.
func (s *Study) SameInputs(points []Point, other *Study) error {
	theirs, err := other.Points()
	if err != nil {
		return err
	}
	if len(theirs) != len(points) {
		return fmt.Errorf("it has %d points, and the study %d", len(theirs), len(points))
	}
	var ownInputs, otherInputs inputs
	for i, p := range points {
		l, err := s.prepare(p)
		if err != nil {
			continue // this point reads nothing
		}
		a, err := l.key(nil, &ownInputs)
		if err != nil {
			return err
		}
		if l, err = other.prepare(theirs[i]); err != nil {
			return err
		}
		b, err := l.key(nil, &otherInputs)
		if err != nil {
			return err
		}
		if a != b {
			return fmt.Errorf("%s on %s %s reads other files there", Title(p.File), p.Board, strings.Join(p.Values, " "))
		}
	}
	return nil
}
