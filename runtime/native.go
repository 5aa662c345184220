package runtime

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/keplersim/keplersim/internal/files"
	"github.com/keplersim/keplersim/toolchain"
)

// native is the source of the runtime that is linked to programs.
//
//go:embed native
var native embed.FS

// nativeHash identifies the version of the native source.
func nativeHash() string { return files.Hash(native)[:24] }

// nativeNumber identifies the version of the native source as a number. Both sides of the socket must have the same version.
func nativeNumber() uint64 {
	n, err := strconv.ParseUint(nativeHash()[:15], 16, 64)
	if err != nil {
		panic(err) // it is always hexadecimal
	}
	return n
}

// cache stores compiled files. Its errors stop nothing: a file that cannot be stored is used where it was made.
type cache struct {
	folder string // "" to store nothing
	reason error  // why a file was not stored
}

// openCache returns the cache, or one that stores nothing.
func openCache() *cache {
	folder, err := files.Cache()
	return &cache{folder, err}
}

// find returns the path of a stored file, "" for none.
func (c *cache) find(name string) string {
	if c.folder == "" {
		return ""
	}
	path := filepath.Join(c.folder, name)
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return path
}

// keep stores a file and returns its new path, or the old one if storing failed.
func (c *cache) keep(made, name string) string {
	if c.folder == "" {
		return made
	}
	path := filepath.Join(c.folder, name)
	info, err := os.Stat(made)
	if err == nil {
		var data []byte
		if data, err = os.ReadFile(made); err == nil {
			err = files.Put(path, info.Mode().Perm()&0o700, data)
		}
	}
	if err != nil {
		c.reason = err
		return made
	}
	return path
}

// note tells the user why files are not stored; "" if they are.
func (c *cache) note() string {
	if c.reason == nil {
		return ""
	}
	return "note: compiled programs are not kept, and each run compiles again: " + strings.ReplaceAll(c.reason.Error(), "\n", "; ")
}

// nativeObject returns the compiled runtime, from the cache or compiled now.
func nativeObject(ctx context.Context, b *toolchain.Builder, c *cache) (string, error) {
	return c.own(b, native, "native", "cudart", func(folder, made string) error {
		return b.Native(ctx, filepath.Join(folder, "cudart.cc"), made, fmt.Sprintf("KEPLERSIM_NATIVE=%#xull", nativeNumber()))
	})
}

// own returns an object compiled from our embedded sources in a folder, from the cache or compiled now.
func (c *cache) own(b *toolchain.Builder, sources embed.FS, folder, name string, compile func(folder, made string) error) (string, error) {
	kept := fmt.Sprintf("%s-%s-clang%d-%s.o", name, files.Hash(sources)[:24], b.Clang.Version, toolchain.HeaderHash())
	if object := c.find(kept); object != "" {
		return object, nil
	}
	sub, err := fs.Sub(sources, folder)
	if err != nil {
		return "", fmt.Errorf("embedded %s: %w", name, err)
	}
	place := filepath.Join(b.Dir, folder)
	if _, err := os.Stat(place); err != nil {
		if err := os.CopyFS(place, sub); err != nil {
			return "", &toolchain.Unwritable{Err: fmt.Errorf("write the sources of %s: %w", name, err)}
		}
	}
	made := filepath.Join(b.Dir, name+".o")
	if err := compile(place, made); err != nil {
		return "", fmt.Errorf("compile keplersim's own %s: %w", name, err)
	}
	return c.keep(made, kept), nil
}
