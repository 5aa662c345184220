// Command release builds a release's archives from a clean clone: one for each platform, with checksums and a bill of materials for the
// programs (SPDX 2.3). make release runs it. The same commit and Go release give the same bytes.
package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/keplersim/keplersim/internal/version"
)

// platforms are the platforms of a release, as GOOS/GOARCH.
var platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

// documents are in every archive next to the program.
var documents = []string{"README.md", "LICENSE", "CHANGELOG.md"}

// buildFlags make a release's program, without debugger symbols and without HTTP/2, which our servers do not use. The profile makes timed
// runs faster and the build several times longer.
var buildFlags = []string{"build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w", "-tags=nethttpomithttp2",
	"-pgo=cmd/keplersim/speed.pgo"}

func main() {
	log.SetFlags(0)
	log.SetPrefix("release: ")
	folder := flag.String("o", "bin/release", "where the archives go")
	only := flag.String("platforms", strings.Join(platforms, ","), "the platforms, as GOOS/GOARCH, with commas between them")
	dirty := flag.Bool("allow-changes", false, "build from files that are not committed, to try")
	tag := flag.String("tag", "", "fail unless this tag is the version's: v"+version.Number)
	flag.Parse()
	if err := release(*folder, strings.Split(*only, ","), *tag, *dirty); err != nil {
		log.Fatal(err)
	}
}

// file is a file in an archive.
type file struct {
	name string
	mode os.FileMode
	data []byte
}

func release(folder string, wanted []string, tag string, dirty bool) error {
	if tag != "" && tag != "v"+version.Number {
		return fmt.Errorf("the tag is %s, and internal/version says %s", tag, version.Number)
	}
	changes, err := output("git", "status", "--porcelain")
	if err != nil {
		return err
	}
	if changes != "" && !dirty {
		return errors.New("commit these first, so that the program can name its commit:\n" + changes)
	}
	stamp, err := output("git", "log", "-1", "--format=%cI")
	if err != nil {
		return err
	}
	date, err := time.Parse(time.RFC3339, stamp)
	if err != nil {
		return err
	}
	date = date.UTC()
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	var sums strings.Builder
	write := func(name string, data []byte) error {
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(data), name)
		return os.WriteFile(filepath.Join(folder, name), data, 0o644)
	}
	modfile, err := replaceFonts(filepath.Join("bin", ".release"))
	if err != nil {
		return err
	}
	for _, platform := range wanted {
		made, err := archive(platform, modfile, date, dirty)
		if err != nil {
			return err
		}
		for _, f := range made {
			if err := write(f.name, f.data); err != nil {
				return err
			}
		}
	}
	text, err := os.ReadFile("CHANGELOG.md")
	if err != nil {
		return err
	}
	notes, err := section(string(text), version.Number)
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(filepath.Join(folder, "checksums.txt"), []byte(sums.String()), 0o644),
		os.WriteFile(filepath.Join(folder, "notes.md"), []byte(notes), 0o644))
}

// archive builds a platform's archive and its program's bill of materials.
func archive(platform, modfile string, date time.Time, dirty bool) ([]file, error) {
	system, arch, ok := strings.Cut(platform, "/")
	if !ok {
		return nil, fmt.Errorf("%q is no platform; these are: %s", platform, strings.Join(platforms, ", "))
	}
	name := fmt.Sprintf("keplersim-%s-%s-%s", version.Number, system, arch)
	files, err := contents(system, arch, modfile)
	if err != nil {
		return nil, err
	}
	packed, ending, err := pack(system, name, date, files)
	if err != nil {
		return nil, err
	}
	info, err := buildinfo.Read(bytes.NewReader(files[0].data))
	if err != nil {
		return nil, fmt.Errorf("what %s was built of: %w", name, err)
	}
	named := slices.ContainsFunc(info.Settings, func(s debug.BuildSetting) bool { return s.Key == "vcs.revision" })
	if !named && !dirty {
		return nil, fmt.Errorf("%s cannot name its commit: build in a clone; Go notes none in a worktree of git", name)
	}
	bill, err := billOfMaterials(name, info, sha256.Sum256(files[0].data), date)
	if err != nil {
		return nil, err
	}
	unpacked := 0
	for _, f := range files {
		unpacked += len(f.data)
	}
	fmt.Printf("%-44s %5.1f MB, unpacked %5.1f MB\n", name+ending, float64(len(packed))/1e6, float64(unpacked)/1e6)
	return []file{{name: name + ending, data: packed}, {name: name + ".spdx.json", data: bill}}, nil
}

// section returns a version's section of the changelog.
func section(changelog, number string) (string, error) {
	_, notes, ok := strings.Cut(changelog, "\n## "+number+"\n")
	if !ok {
		return "", fmt.Errorf("CHANGELOG.md has no section %s", number)
	}
	notes, _, _ = strings.Cut(notes, "\n## ")
	return strings.TrimSpace(notes) + "\n", nil
}

// contents builds the program for a platform, with the modules in modfile. It returns the program and then the documents.
func contents(system, arch, modfile string) ([]file, error) {
	folder, err := os.MkdirTemp("", "keplersim-release-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	name := "keplersim"
	if system == "windows" {
		name += ".exe"
	}
	path := filepath.Join(folder, name)
	build := exec.Command("go", append(buildFlags[:len(buildFlags):len(buildFlags)], "-modfile", modfile, "-o", path, "./cmd/keplersim")...)
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch, "GOFLAGS=")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return nil, fmt.Errorf("build for %s/%s: %w", system, arch, err)
	}
	program, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	files := []file{{name, 0o755, program}}
	for _, d := range documents {
		text, err := os.ReadFile(d)
		if err != nil {
			return nil, err
		}
		files = append(files, file{d, 0o644, text})
	}
	return files, nil
}

// pack makes an archive with all files in one folder: zip for Windows, tar.gz for others.
func pack(system, folder string, date time.Time, files []file) (packed []byte, ending string, err error) {
	var out bytes.Buffer
	if system == "windows" {
		z := zip.NewWriter(&out)
		for _, f := range files {
			header := &zip.FileHeader{Name: folder + "/" + f.name, Method: zip.Deflate, Modified: date}
			header.SetMode(f.mode)
			w, err := z.CreateHeader(header)
			if err != nil {
				return nil, "", err
			}
			if _, err := w.Write(f.data); err != nil {
				return nil, "", err
			}
		}
		err = z.Close()
		return out.Bytes(), ".zip", err
	}
	g, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, "", err
	}
	t := tar.NewWriter(g)
	for _, f := range files {
		header := &tar.Header{Name: folder + "/" + f.name, Mode: int64(f.mode), Size: int64(len(f.data)), ModTime: date,
			Format: tar.FormatUSTAR}
		if err := t.WriteHeader(header); err != nil {
			return nil, "", err
		}
		if _, err := t.Write(f.data); err != nil {
			return nil, "", err
		}
	}
	err = errors.Join(t.Close(), g.Close())
	return out.Bytes(), ".tar.gz", err
}

// output runs a command and returns its output, without surrounding white space.
func output(name string, arguments ...string) (string, error) {
	command := exec.Command(name, arguments...)
	command.Stderr = os.Stderr
	var text strings.Builder
	command.Stdout = io.Writer(&text)
	if err := command.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w", name, strings.Join(arguments, " "), err)
	}
	return strings.TrimSpace(text.String()), nil
}
