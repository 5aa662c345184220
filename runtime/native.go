package runtime

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/keplersim/keplersim/internal/files"
	"github.com/keplersim/keplersim/toolchain"
)

// native is the source of what is linked to programs.
//
//go:embed native
var native embed.FS

// nativeHash tells one state of the native source from another.
func nativeHash() string { return files.Hash(native)[:24] }

// nativeNumber returns a number that tells programs of one state of the native source from those of another: both sides of the socket
// have to be of one.
func nativeNumber() uint64 {
	n, err := strconv.ParseUint(nativeHash()[:15], 16, 64)
	if err != nil {
		panic(err) // it is hexadecimal
	}
	return n
}

// nativeObject returns the compiled runtime, from the cache or compiled now.
func nativeObject(ctx context.Context, b *toolchain.Builder, cache string) (string, error) {
	object := filepath.Join(cache, fmt.Sprintf("cudart-%s-clang%d-%s.o", nativeHash(), b.Clang.Version, toolchain.HeaderHash()))
	if _, err := os.Stat(object); err == nil {
		return object, nil
	}
	source := filepath.Join(b.Dir, "native")
	sub, err := fs.Sub(native, "native")
	if err != nil {
		return "", fmt.Errorf("embedded runtime: %w", err)
	}
	if err := os.CopyFS(source, sub); err != nil {
		return "", &toolchain.Unwritable{Err: fmt.Errorf("write the runtime: %w", err)}
	}
	made := filepath.Join(b.Dir, "cudart.o")
	if err := b.Native(ctx, filepath.Join(source, "cudart.cc"), made, fmt.Sprintf("KEPLERSIM_NATIVE=%#xull", nativeNumber())); err != nil {
		return "", fmt.Errorf("compile keplersim's own runtime: %w", err)
	}
	return object, moveInto(made, object)
}

// moveInto puts a file in its place whole, also across file systems.
func moveInto(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return fmt.Errorf("cache: %w", err)
	}
	info, err := os.Stat(from)
	if err != nil {
		return fmt.Errorf("cache: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(to), "new-")
	if err != nil {
		return fmt.Errorf("cache: %w", err)
	}
	_, err = f.Write(text)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Chmod(f.Name(), info.Mode().Perm())
	}
	if err == nil {
		err = os.Rename(f.Name(), to)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("cache: %w", err)
	}
	return nil
}

// cacheFolder returns where compiled programs are kept: the user's cache folder, or one of the user's own among temporary files where that
// cannot be written.
func cacheFolder() (string, error) {
	var folders []string
	if dir, err := os.UserCacheDir(); err == nil {
		folders = append(folders, filepath.Join(dir, "keplersim"))
	}
	folders = append(folders, filepath.Join(os.TempDir(), fmt.Sprintf("keplersim-%d", os.Getuid())))
	var last error
	for _, dir := range slices.Compact(folders) {
		if last = usable(dir); last == nil {
			return dir, nil
		}
	}
	return "", &toolchain.Unwritable{Err: fmt.Errorf("folder to keep compiled programs in: %w", last)}
}

// usable makes a folder and tries to write there.
func usable(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "new-")
	if err != nil {
		return err
	}
	f.Close()
	return os.Remove(f.Name())
}
