package bundle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// small returns a bundle of three files, with its manifest.
func small(t *testing.T) ([]byte, *Manifest) {
	t.Helper()
	var out bytes.Buffer
	m := &Manifest{
		Study: "s", Path: "inputs/s.yaml", Run: []string{"inputs/k.ptx"}, Boards: []Board{{Name: "k40", Values: "boards/1-k40.yaml"}},
	}
	members := []Member{{Name: "inputs/s.yaml", Data: []byte("run: [k.ptx]\n")}, {Name: "inputs/k.ptx", Data: []byte("//\n")},
		{Name: TableName, Data: []byte("a,b\n")}, {Name: "boards/1-k40.yaml"}}
	require.NoError(t, Write(&out, m, members))
	return out.Bytes(), m
}

func unpacked(t *testing.T, data []byte) (folder string, err error) {
	t.Helper()
	outer := t.TempDir()
	folder, file := filepath.Join(outer, "in"), filepath.Join(outer, "b.tar.gz")
	require.NoError(t, os.WriteFile(file, data, 0o600))
	_, err = Unpack(file, folder)
	around, readErr := os.ReadDir(outer)
	require.NoError(t, readErr)
	assert.LessOrEqual(t, len(around), 2, "nothing is written outside of the folder")
	return folder, err
}

func TestBundlesComeBack(t *testing.T) {
	t.Parallel()
	data, m := small(t)
	again, _ := small(t)
	assert.Equal(t, data, again, "equal studies make equal bytes")
	folder, err := unpacked(t, data)
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(folder, "inputs", "k.ptx"))
	require.NoError(t, err)
	assert.Equal(t, "//\n", string(text))
	assert.Len(t, m.Files, 4)
}

// entry is a file in a stranger's archive.
type entry struct {
	header tar.Header
	data   string
}

func archiveOf(t *testing.T, entries ...entry) []byte {
	t.Helper()
	var out bytes.Buffer
	packed := gzip.NewWriter(&out)
	w := tar.NewWriter(packed)
	for _, e := range entries {
		if e.header.Typeflag == 0 {
			e.header.Typeflag = tar.TypeReg
		}
		if e.header.Typeflag == tar.TypeReg {
			e.header.Size = int64(len(e.data))
		}
		require.NoError(t, w.WriteHeader(&e.header))
		_, err := io.WriteString(w, e.data)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	require.NoError(t, packed.Close())
	return out.Bytes()
}

// Archives are refused, with the reason, if a file leads out of the folder, is a link, is larger than stated or has a wrong checksum.
func TestHostileBundlesAreRefused(t *testing.T) {
	t.Parallel()
	data, whole := small(t)
	contents := map[string]string{"inputs/s.yaml": "run: [k.ptx]\n", "inputs/k.ptx": "//\n", TableName: "a,b\n", "boards/1-k40.yaml": ""}
	// build makes an archive of the small bundle, with changes to its manifest and its files.
	build := func(manifest func(*Manifest), change func(*entry)) []byte {
		text, err := json.Marshal(whole)
		require.NoError(t, err)
		var m Manifest
		require.NoError(t, json.Unmarshal(text, &m))
		if manifest != nil {
			manifest(&m)
		}
		text, err = json.Marshal(m)
		require.NoError(t, err)
		list := []entry{{tar.Header{Name: ManifestName}, string(text)}}
		for _, f := range m.Files {
			e := entry{tar.Header{Name: f.Name}, contents[f.Name]}
			if change != nil {
				change(&e)
			}
			list = append(list, e)
		}
		return archiveOf(t, list...)
	}
	_, err := unpacked(t, build(nil, nil))
	require.NoError(t, err, "the small bundle itself is whole")
	renamed := func(name string) []byte { return build(func(m *Manifest) { m.Files[2].Name = name }, nil) }
	for what, test := range map[string]struct {
		data []byte
		want string
	}{
		"parent":         {renamed("../out"), "leads out of the bundle's folder"},
		"hidden parent":  {renamed("inputs/../../out"), "leads out of the bundle's folder"},
		"whole path":     {renamed("/tmp/out"), "leads out of the bundle's folder"},
		"backslashes":    {renamed(`..\out`), "leads out of the bundle's folder"},
		"no name":        {renamed(""), "leads out of the bundle's folder"},
		"the list":       {renamed(ManifestName), "appears twice"},
		"twice":          {renamed("inputs/k.ptx"), "appears twice"},
		"under a file":   {renamed("inputs/k.ptx/x"), "it names the file \"inputs/s.yaml\""},
		"huge":           {build(func(m *Manifest) { m.Files[1].Bytes = MostBytes + 1 }, nil), "have more than 1073741824 bytes"},
		"huge together":  {build(func(m *Manifest) { m.Files[0].Bytes, m.Files[1].Bytes = MostBytes, 1 }, nil), "have more than"},
		"negative":       {build(func(m *Manifest) { m.Files[1].Bytes = -1 }, nil), "have more than"},
		"larger":         {build(func(m *Manifest) { m.Files[1].Bytes = 1 }, nil), "where the list has"},
		"checksum":       {build(func(m *Manifest) { m.Files[1].SHA256 = strings.Repeat("0", 64) }, nil), "its checksum is another"},
		"newer":          {build(func(m *Manifest) { m.Format = 2 }, nil), "of a newer keplersim"},
		"no format":      {build(func(m *Manifest) { m.Format = 0 }, nil), "says no format"},
		"nothing to run": {build(func(m *Manifest) { m.Run = nil }, nil), "nothing to run"},
		"runs a file outside": {build(func(m *Manifest) { m.Run = []string{"../x"} }, nil),
			`it names the file "../x", which it does not have`},
		"package outside": {build(func(m *Manifest) { m.Policies = &Source{Package: "../x"} }, nil), "which is none of the module"},
		"many files": {build(func(m *Manifest) { m.Files = make([]File, MostFiles+1) }, func(e *entry) { e.header.Name = "x" }),
			"more than 20000"},
		"other name": {build(nil, func(e *entry) { e.header.Name = "inputs/other" }), "where the list has"},
		"soft link": {build(nil, func(e *entry) {
			*e = entry{header: tar.Header{Name: e.header.Name, Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}}
		}), "is not a plain file"},
		"hard link": {build(nil, func(e *entry) {
			*e = entry{header: tar.Header{Name: e.header.Name, Typeflag: tar.TypeLink, Linkname: "bundle.json"}}
		}), "is not a plain file"},
		"device": {build(nil, func(e *entry) {
			*e = entry{header: tar.Header{Name: e.header.Name, Typeflag: tar.TypeChar}}
		}), "is not a plain file"},
		"no list":       {archiveOf(t, entry{tar.Header{Name: "x"}, "y"}), `its first file is "x"`},
		"broken list":   {archiveOf(t, entry{tar.Header{Name: ManifestName}, "{"}), "bundle.json: unexpected end"},
		"endless list":  {archiveOf(t, entry{tar.Header{Name: ManifestName}, strings.Repeat(" ", mostManifest+1)}), "longer than 16 MB"},
		"no archive":    {[]byte("hello"), "no archive packed with gzip"},
		"cut off":       {data[:len(data)/2], "unexpected EOF"},
		"nothing in it": {archiveOf(t), "unexpected EOF"},
	} {
		_, err := unpacked(t, test.data)
		assert.ErrorContains(t, err, test.want, what)
	}
	extra := build(nil, nil)
	extra = archiveOf(t, append(entriesOf(t, extra), entry{tar.Header{Name: "more"}, "x"})...)
	_, err = unpacked(t, extra)
	assert.ErrorContains(t, err, "more files than its list")
}

func entriesOf(t *testing.T, data []byte) (list []entry) {
	t.Helper()
	packed, err := gzip.NewReader(bytes.NewReader(data))
	require.NoError(t, err)
	r := tar.NewReader(packed)
	for {
		header, err := r.Next()
		if err == io.EOF {
			return list
		}
		require.NoError(t, err)
		text, err := io.ReadAll(r)
		require.NoError(t, err)
		list = append(list, entry{*header, string(text)})
	}
}

// The source of a module is its code and the files that it embeds. A module that replaces others by folders cannot be bundled.
func TestSourceOfAModule(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	put := func(name, text string) {
		name = filepath.Join(folder, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	const mod = "module example.com/p\n\ngo 1.26\n\nreplace github.com/keplersim/keplersim => ../k\n"
	put("go.mod", mod)
	put("LICENSE", "MIT")
	put("main.go", "package main\n\nimport _ \"embed\"\n\n//go:embed data/*.txt\nvar text string\n\nfunc main() {}\n")
	put("data/a.txt", "a")
	put("data/b.bin", "b")
	put("main_test.go", "package main\n")
	put("table.csv", "")
	put(".git/config", "")
	put("testdata/x.go", "package x\n")
	put("inner/go.mod", "module inner\n")
	put("inner/inner.go", "package inner\n")
	put("sub/sub.go", "package sub\n")
	s, members, err := ReadSource(t.Context(), folder, "example.com/p", ".")
	require.NoError(t, err)
	var names []string
	for _, m := range members {
		names = append(names, m.Name)
	}
	assert.Equal(t, []string{"policies/LICENSE", "policies/data/a.txt", "policies/go.mod", "policies/main.go", "policies/sub/sub.go"},
		names)
	assert.Equal(t, "example.com/p", s.Module)
	found, err := FindModule("example.com/p", filepath.Join(folder, "sub"))
	require.NoError(t, err)
	assert.Equal(t, folder, found)
	_, err = FindModule("example.com/q", folder)
	assert.ErrorContains(t, err, "the source of example.com/q")
	put("go.mod", mod+"replace example.com/other => ../other\n")
	_, _, err = ReadSource(t.Context(), folder, "example.com/p", ".")
	assert.ErrorContains(t, err, "takes example.com/other from the folder ../other")
}

// An archive of any bytes is unpacked or refused, and writes nothing outside of the folder.
func FuzzUnpack(f *testing.F) {
	var out bytes.Buffer
	m := &Manifest{Path: "s.yaml", Run: []string{"s.yaml"}, Boards: []Board{{Name: "k40", Values: TableName}}}
	if err := Write(&out, m, []Member{{Name: "s.yaml", Data: []byte("x")}, {Name: TableName}}); err != nil {
		f.Fatal(err)
	}
	packed, err := gzip.NewReader(&out)
	if err != nil {
		f.Fatal(err)
	}
	plain, err := io.ReadAll(packed)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(plain)
	f.Fuzz(func(t *testing.T, archive []byte) {
		var data bytes.Buffer
		packed := gzip.NewWriter(&data)
		_, err := packed.Write(archive)
		require.NoError(t, err)
		require.NoError(t, packed.Close())
		_, _ = unpacked(t, data.Bytes())
	})
}
