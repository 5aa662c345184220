package runtime

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/keplersim/keplersim/internal/command"
	"github.com/keplersim/keplersim/internal/files"
	"github.com/keplersim/keplersim/toolchain"
)

// Library returns the path of the compiled runtime, an object to link to programs. It exists as long as the builder.
func Library(ctx context.Context, b *toolchain.Builder) (string, error) {
	return nativeObject(ctx, b, openCache())
}

// emptyLibraries are libraries of the toolkit that Makefiles name and that need no contents here.
var emptyLibraries = []string{"cudadevrt", "culibos", "nvToolsExt"}

// Toolkit makes a folder that Makefiles and CMake accept as a CUDA toolkit, and returns its path: bin/nvcc, include, lib64 and nvvm. For an
// empty folder name, it is made once, in the cache.
func Toolkit(ctx context.Context, folder string) (string, error) {
	own, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("path of keplersim: %w", err)
	}
	kept := folder == ""
	if kept {
		cache, err := files.Cache()
		if err != nil {
			return "", unwritten(fmt.Errorf("there is no folder to keep it in; name one, as in keplersim toolkit cuda: %w", err))
		}
		folder = filepath.Join(cache, "toolkit-"+nativeHash()[:8]+toolchain.HeaderHash()[:8])
	}
	if folder, err = filepath.Abs(folder); err != nil {
		return "", fmt.Errorf("folder of the toolkit: %w", err)
	}
	script := fmt.Sprintf("#!/bin/sh\nexec \"${KEPLERSIM:-%s}\" nvcc \"$@\"\n", own)
	nvcc := filepath.Join(folder, "bin", "nvcc")
	if text, err := os.ReadFile(nvcc); kept && err == nil && string(text) == script {
		return folder, nil
	}
	builder, err := toolchain.NewBuilder(ctx)
	if err != nil {
		return "", err
	}
	defer builder.Close()
	if err := fillToolkit(ctx, builder, folder); err != nil {
		return "", err
	}
	put := func(name, text string) error {
		made := filepath.Join(builder.Dir, name)
		if err := os.WriteFile(made, []byte(text), 0o777); err != nil {
			return unwritten(err)
		}
		return place(made, filepath.Join(folder, "bin", name))
	}
	for name, text := range toolScripts {
		if err := put(name, strings.ReplaceAll(text, "KEPLERSIM", fmt.Sprintf(`"${KEPLERSIM:-%s}"`, own))); err != nil {
			return "", err
		}
	}
	return folder, put("nvcc", script) // last: its presence means that the rest is complete
}

// toolScripts are the toolkit's tools that our commands replace; KEPLERSIM is the path of the program.
var toolScripts = map[string]string{
	"nvidia-smi": "#!/bin/sh\nexec KEPLERSIM smi \"$@\"\n", "nvprof": "#!/bin/sh\nexec KEPLERSIM nvprof \"$@\"\n",
	"cuda-memcheck": checkScript, "compute-sanitizer": checkScript, "cuobjdump": dumpScript, "nvdisasm": dumpScript,
	"ptxas": assembleScript,
}

var (
	// dumpScript prints machine code, or PTX on request.
	//go:embed tools/print.sh
	dumpScript string
	// checkScript drops the checker's own options before the program's name.
	//go:embed tools/check.sh
	checkScript string
	// assembleScript compiles PTX.
	//go:embed tools/assemble.sh
	assembleScript string
)

// place moves a file into the folder.
func place(made, to string) error {
	if err := files.Place(made, to); err != nil {
		return unwritten(err)
	}
	return nil
}

func unwritten(err error) error {
	return &toolchain.Unwritable{Err: fmt.Errorf("write the toolkit: %w", err)}
}

// fillToolkit makes everything except nvcc.
func fillToolkit(ctx context.Context, b *toolchain.Builder, folder string) error {
	for _, name := range []string{"bin", "lib64", "nvvm/libdevice", "include"} {
		if err := os.MkdirAll(filepath.Join(folder, name), 0o777); err != nil {
			return unwritten(err)
		}
	}
	if err := toolchain.WriteInclude(filepath.Join(folder, "include")); err != nil {
		return err
	}
	if info, err := os.Lstat(filepath.Join(folder, "lib")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		if err := os.Symlink("lib64", filepath.Join(folder, "lib")); err != nil {
			return unwritten(err)
		}
	}
	object, err := Library(ctx, b)
	if err != nil {
		return err
	}
	shared := filepath.Join(b.Dir, "libcuda.so.1")
	if err := b.LinkAs(ctx, []string{"-shared", "-Wl,-soname,libcuda.so.1", "-Wl,-z,nodelete", object}, shared, shared); err != nil {
		return err
	}
	// For programs that load it. Others link the archive, and so run without searching for a library.
	if err := place(shared, filepath.Join(folder, "lib64", "libcuda.so.1")); err != nil {
		return err
	}
	// It also contains the management library's functions, so that both report the same devices.
	management := filepath.Join(b.Dir, "libnvidia-ml.so.1")
	needs := []string{"-shared", "-Wl,-soname,libnvidia-ml.so.1", "-Wl,--no-as-needed", "-Wl,-rpath,$ORIGIN",
		filepath.Join(folder, "lib64", "libcuda.so.1")}
	if err := b.LinkAs(ctx, needs, management, management); err != nil {
		return err
	}
	if err := place(management, filepath.Join(folder, "lib64", "libnvidia-ml.so.1")); err != nil {
		return err
	}
	libraries := map[string][]string{"cudart": {object}, "cudart_static": {object}, "cuda": {object}, "nvidia-ml": {object}}
	for _, name := range emptyLibraries {
		libraries[name] = nil
	}
	for _, name := range LibraryNames() {
		object, err := LibraryObject(ctx, b, name)
		if err != nil {
			return err
		}
		libraries[name], libraries[name+"_static"] = []string{object}, []string{object}
	}
	for name, objects := range libraries {
		made := filepath.Join(b.Dir, "lib"+name+".a")
		if text, err := command.Tool(ctx, "ar", append([]string{"rcs", made}, objects...)...).CombinedOutput(); err != nil {
			return fmt.Errorf("make a library with ar (of binutils): %w %s", err, strings.TrimSpace(string(text)))
		}
		if err := place(made, filepath.Join(folder, "lib64", "lib"+name+".a")); err != nil {
			return err
		}
	}
	return nil
}
