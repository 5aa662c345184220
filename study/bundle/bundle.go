// Package bundle packs a study into one archive: its inputs, who ran it, its table and figures, each file with its checksum. Archives may
// come from strangers: Unpack writes nothing outside of its folder, and no more than the bounds below.
package bundle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/keplersim/keplersim/internal/files"
	"github.com/keplersim/keplersim/internal/jsonschema"
	"github.com/keplersim/keplersim/internal/version"
)

// Format is the version of the archive's layout. ManifestName is its first file; the other names begin with one of the folders below.
const (
	Format         = 1
	ManifestName   = "bundle.json"
	InputsFolder   = "inputs"   // the files that the study reads
	BoardsFolder   = "boards"   // every value of each board
	PoliciesFolder = "policies" // the module of the program, if it is not keplersim itself
	TableName      = "table.csv"
	PageName       = "figures.html"
)

// Bounds of an archive: its files, their unpacked bytes in total, and the manifest's bytes.
const (
	MostFiles    = 20_000
	MostBytes    = 1 << 30
	mostManifest = 16 << 20
)

func init() {
	jsonschema.Publish[Manifest]("bundle", "The file bundle.json in the archive that keplersim sweep --bundle writes.", Format)
}

// Manifest is the content of bundle.json.
type Manifest struct {
	Format  int     `json:"format"`
	Study   string  `json:"study"`
	Program Program `json:"program"`
	// Policies is the module whose program made the table; nil means keplersim itself.
	Policies *Source `json:"policies,omitempty"`
	Machine  Machine `json:"machine"`
	// Path is the study's file in the archive; Run are the files that it runs, in order.
	Path   string   `json:"path"`
	Run    []string `json:"run"`
	Boards []Board  `json:"boards"`
	// Files are all files of the archive except the manifest.
	Files []File `json:"files"`
}

// Program is the program that made the table: its build of keplersim, and the hash of its file.
type Program struct {
	version.Build
	SHA256 string `json:"sha256"`
}

// Source is a module with its own policies.
type Source struct {
	Module  string `json:"module"`
	Package string `json:"package"` // the program's, relative to the module's folder
	Commit  string `json:"commit,omitempty"`
	Changed bool   `json:"changed,omitempty"` // files differed from the commit
	// Keplersim is the commit of keplersim that the module was built with, if the module takes it from a folder.
	Keplersim string `json:"keplersim_commit,omitempty"`
}

// Machine is where the table was made.
type Machine struct {
	OS        string `json:"os"`
	Arch      string `json:"arch"`
	Processor string `json:"processor,omitempty"`
	Threads   int    `json:"threads"`
	Clang     int    `json:"clang,omitempty"` // major version; 0 if there is none
}

// Board is a board of the study: its name in the table, its configuration file in the archive ("" for one that comes with keplersim), and
// the file with all its values.
type Board struct {
	Name   string `json:"name"`
	File   string `json:"file,omitempty"`
	Values string `json:"values"`
}

// File is a file of the archive.
type File struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Member is a file to put into an archive. Disk is the file to read it from; without Disk, Data is its content.
type Member struct {
	Name string
	Data []byte
	Disk string
}

// open opens a member's content.
func (m Member) open() (io.ReadCloser, error) {
	if m.Disk == "" {
		return io.NopCloser(bytes.NewReader(m.Data)), nil
	}
	return os.Open(m.Disk)
}

// Write writes an archive, and lists its files in the manifest. Equal members and manifests give equal bytes.
func Write(w io.Writer, m *Manifest, members []Member) error {
	slices.SortFunc(members, func(a, b Member) int { return strings.Compare(a.Name, b.Name) })
	m.Format, m.Files = Format, nil
	for _, member := range members {
		f, err := member.measure()
		if err != nil {
			return err
		}
		m.Files = append(m.Files, f)
	}
	if err := m.check(); err != nil {
		return fmt.Errorf("this study is too large for a bundle: %w", err)
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return fmt.Errorf("write the bundle: %w", err)
	}
	packed := gzip.NewWriter(w)
	archive := tar.NewWriter(packed)
	text = append(text, '\n')
	if err = add(archive, File{Name: ManifestName, Bytes: int64(len(text))}, bytes.NewReader(text)); err != nil {
		return err
	}
	for i, member := range members {
		in, err := member.open()
		if err != nil {
			return fmt.Errorf("write the bundle: %w", err)
		}
		hash := sha256.New()
		err = add(archive, m.Files[i], io.TeeReader(in, hash))
		in.Close()
		if err == nil && hex.EncodeToString(hash.Sum(nil)) != m.Files[i].SHA256 {
			err = fmt.Errorf("%s was changed while the bundle was written", member.Disk)
		}
		if err != nil {
			return err
		}
	}
	if err := errors.Join(archive.Close(), packed.Close()); err != nil {
		return fmt.Errorf("write the bundle: %w", err)
	}
	return nil
}

// measure returns a member's length and checksum.
func (m Member) measure() (File, error) {
	in, err := m.open()
	if err != nil {
		return File{}, fmt.Errorf("read what the bundle needs: %w", err)
	}
	defer in.Close()
	hash := sha256.New()
	n, err := io.Copy(hash, io.LimitReader(in, MostBytes+1))
	if err != nil {
		return File{}, fmt.Errorf("read what the bundle needs: %w", err)
	}
	return File{m.Name, n, hex.EncodeToString(hash.Sum(nil))}, nil
}

// add writes a file to an archive. It omits times and owners, so that equal bundles have equal bytes.
func add(archive *tar.Writer, f File, in io.Reader) error {
	header := &tar.Header{Typeflag: tar.TypeReg, Name: f.Name, Size: f.Bytes, Mode: 0o644, ModTime: time.Unix(0, 0)}
	err := archive.WriteHeader(header)
	if err == nil {
		_, err = io.Copy(archive, in)
	}
	if err != nil {
		return fmt.Errorf("write the bundle: %s: %w", f.Name, err)
	}
	return nil
}

// Unpack writes an archive's files to an empty folder. If the archive is no complete bundle, the error says why.
func Unpack(archive, folder string) (*Manifest, error) {
	in, err := os.Open(archive)
	if err != nil {
		return nil, fmt.Errorf("open the bundle: %w", err)
	}
	defer in.Close()
	m, err := unpack(in, folder)
	if err != nil {
		return nil, fmt.Errorf("%s is not a whole bundle: %w", archive, err)
	}
	return m, nil
}

func unpack(in io.Reader, folder string) (*Manifest, error) {
	packed, err := gzip.NewReader(in)
	if err != nil {
		return nil, fmt.Errorf("it is no archive packed with gzip: %w", err)
	}
	from := tar.NewReader(io.LimitReader(packed, MostBytes+mostManifest+MostFiles*4096)) // the bound holds whatever the headers claim
	header, err := next(from)
	if err != nil {
		return nil, err
	}
	if header.Name != ManifestName {
		return nil, fmt.Errorf("its first file is %q, and not %s", header.Name, ManifestName)
	}
	text, err := files.ReadFrom(from, ManifestName, mostManifest)
	if err != nil {
		return nil, err
	}
	m := new(Manifest)
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("%s: %w", ManifestName, err)
	}
	if err := m.check(); err != nil {
		return nil, err
	}
	for _, f := range m.Files {
		header, err := next(from)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		if header.Name != f.Name || header.Size != f.Bytes {
			return nil, fmt.Errorf("%s has %q of %d bytes where the list has %q of %d", "the archive", header.Name, header.Size, f.Name,
				f.Bytes)
		}
		if err := place(from, folder, f); err != nil {
			return nil, err
		}
	}
	if _, err := from.Next(); !errors.Is(err, io.EOF) {
		return nil, errors.New("it has more files than its list")
	}
	return m, nil
}

// next returns the header of the next file. It fails on links, devices and folders.
func next(from *tar.Reader) (*tar.Header, error) {
	header, err := from.Next()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, err
	}
	if header.Typeflag != tar.TypeReg {
		return nil, fmt.Errorf("%q is not a plain file", header.Name)
	}
	return header, nil
}

// place writes a file of the archive, and checks its checksum.
func place(in io.Reader, folder string, f File) error {
	target := filepath.Join(folder, filepath.FromSlash(f.Name))
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return err
	}
	return files.Write(target, func(w io.Writer) error {
		hash := sha256.New()
		if _, err := io.Copy(io.MultiWriter(w, hash), in); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		if hex.EncodeToString(hash.Sum(nil)) != f.SHA256 {
			return fmt.Errorf("%s is not the file that was bundled: its checksum is another", f.Name)
		}
		return nil
	})
}

// check returns an error if a manifest has the wrong format, breaks a bound, or has names that lead out of the folder or name no file.
func (m *Manifest) check() error {
	switch {
	case m.Format > Format:
		return fmt.Errorf("it has format %d of a newer keplersim; this one reads format %d", m.Format, Format)
	case m.Format != Format:
		return fmt.Errorf("%s says no format", ManifestName)
	case len(m.Files) > MostFiles:
		return fmt.Errorf("it has %d files, more than %d", len(m.Files), MostFiles)
	}
	total, seen := int64(0), map[string]bool{ManifestName: true}
	for _, f := range m.Files {
		if f.Name == "" || path.Clean(f.Name) != f.Name || !filepath.IsLocal(filepath.FromSlash(f.Name)) || strings.Contains(f.Name, `\`) {
			return fmt.Errorf("the name %q leads out of the bundle's folder, or is none", f.Name)
		}
		if seen[f.Name] {
			return fmt.Errorf("%q appears twice", f.Name)
		}
		seen[f.Name] = true
		if f.Bytes < 0 || f.Bytes > MostBytes || total+f.Bytes > MostBytes {
			return fmt.Errorf("its files have more than %d bytes together", MostBytes)
		}
		total += f.Bytes
	}
	named := append([]string{m.Path, TableName}, m.Run...)
	for _, b := range m.Boards {
		named = append(named, b.Values)
		if b.File != "" {
			named = append(named, b.File)
		}
	}
	for _, name := range named {
		if !seen[name] || name == ManifestName {
			return fmt.Errorf("it names the file %q, which it does not have", name)
		}
	}
	if len(m.Run) == 0 || len(m.Boards) == 0 {
		return errors.New("it has nothing to run, or no board")
	}
	if m.Policies != nil {
		return m.Policies.check()
	}
	return nil
}

// check returns an error for a package outside of the module's folder, and for words that could be read as options.
func (s *Source) check() error {
	if s.Package != "." && (!filepath.IsLocal(filepath.FromSlash(s.Package)) || strings.HasPrefix(s.Package, "-")) {
		return fmt.Errorf("its program's package is %q, which is none of the module", s.Package)
	}
	return nil
}
