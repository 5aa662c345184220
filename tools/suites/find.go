package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// program is a program to build and run.
type program struct {
	name    string // its path within the suite
	folder  string
	sources []string // without a Makefile: the file with main first
	make    bool
	needs   string // a requirement beyond a GPU of compute capability 3.5; "" for none
	settings
}

var (
	usesNVCC = regexp.MustCompile(`nvcc|NVCC|\$\(CC\)|common\.mk|make\.config`)
	mainHead = regexp.MustCompile(`(?m)(^|[\s;}])main\s*\(`)
	comments = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"`)
)

// needs finds requirements by what a program includes and calls. The first match counts.
var needs = []struct{ name, what string }{
	{"graphics libraries", `GL/|GLES|glut|EGL/|vulkan|d3d\d|freeimage|FreeImage|opencv|cpu_(bitmap|anim)\.h`},
	{"libraries of the toolkit",
		`#\s*include\s*[<"](cusolver|npp|nvjpeg|cudnn|nvgraph|cutlass|nvscibuf|cudla|nvvm)|NvSci`},
	{"tensor cores", `mma\.h|wmma::|nvcuda::`},
	{"cooperative launches (compute capability 6.0)", `cudaLaunchCooperative|this_grid\(\)|this_multi_grid|grid_group|this_cluster`},
	{"libcu++, or hardware of compute capability 7.0",
		`<cuda/|<cuda::|cuda::(std|barrier|pipeline|atomic)|memcpy_async|__nv_bfloat16|cuda_bf16|cuda_pipeline|__grid_constant__` +
			`|cudaMemLocation`},
	{"graphs, pools and handles of later toolkits", `cudaGraph|cudaMemPool|cudaMallocFromPool|cuMemCreate|cuMemMap|cudaIpc|cudaExternal`},
	{"instructions of later chips", `__hadd2|__hfma|__hmul|half2|__half\b|atomicAdd_system|atomicCAS_system|__dp4a|__dp2a|` +
		`__nanosleep|__reduce_\w+_sync|__match_\w+_sync`},
	{"libraries of others", `<mpi\.h>|"mpi\.h"|nvshmem|nccl\.h|<tbb/|<boost/|<hdf5|<gsl/|<fftw|<sycl|hip/hip_runtime`},
}

// findPrograms lists a checkout's programs, in the order of their paths.
func findPrograms(root string) ([]program, error) {
	folders := map[string][]string{} // of .cu files
	var order []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".cu" {
			return err
		}
		folder := filepath.Dir(path)
		if folders[folder] == nil {
			order = append(order, folder)
		}
		folders[folder] = append(folders[folder], path)
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(order)
	all, err := inFolders(root, order, folders)
	if err != nil {
		return nil, err
	}
	for i := range all {
		all[i].settings = settingsOf(all[i].name)
		if all[i].Eligible {
			all[i].needs = ""
		}
		if all[i].Needs != "" {
			all[i].needs = all[i].Needs
		}
	}
	return all, nil
}

// inFolders returns the programs in folders, given the .cu files in each.
func inFolders(root string, order []string, folders map[string][]string) ([]program, error) {
	var all []program
	for _, folder := range order {
		name, err := filepath.Rel(root, folder)
		if err != nil {
			return nil, err
		}
		if home := makefileOf(root, folder); home != "" && !settingsOf(name).Apart {
			if home == folder || !slices.ContainsFunc(all, func(p program) bool { return p.folder == home }) {
				if name, err = filepath.Rel(root, home); err != nil {
					return nil, err
				}
				all = append(all, program{name: name, folder: home, make: true, needs: needsOf(home)})
			}
			continue
		}
		all = append(all, alone(name, folder, folders[folder])...)
	}
	return all, nil
}

// makefileOf is the folder with the Makefile for a folder's files: the folder itself, or its parent for a folder src.
func makefileOf(root, folder string) string {
	for range 2 {
		for _, name := range []string{"Makefile", "makefile", "GNUmakefile"} {
			if text, err := os.ReadFile(filepath.Join(folder, name)); err == nil && usesNVCC.Match(text) {
				return folder
			}
		}
		if base := filepath.Base(folder); folder == root || base != "src" && base != "kernel" && base != "kernels" && base != "cuda" {
			return ""
		}
		folder = filepath.Dir(folder)
	}
	return ""
}

// alone returns the programs of a folder without a Makefile: one from all files if one file has a main, else one for each file with a main.
func alone(name, folder string, cu []string) []program {
	sources := cu
	for _, pattern := range []string{"*.cpp", "*.cc", "*.c"} {
		more, err := filepath.Glob(filepath.Join(folder, pattern))
		if err == nil {
			sources = append(sources, more...)
		}
	}
	var mains []string
	for _, s := range sources {
		if text, err := os.ReadFile(s); err == nil && mainHead.Match(comments.ReplaceAll(text, []byte(" "))) {
			mains = append(mains, s)
		}
	}
	if len(mains) == 1 {
		looked := sources
		for _, pattern := range []string{"*.h", "*.cuh", "*.hpp"} {
			if more, err := filepath.Glob(filepath.Join(folder, pattern)); err == nil {
				looked = append(looked, more...)
			}
		}
		others := slices.DeleteFunc(sources, func(s string) bool { return s == mains[0] })
		sources = append([]string{mains[0]}, others...)
		return []program{{name: name + "/" + filepath.Base(mains[0]), folder: folder, sources: sources, needs: needsOf(looked...)}}
	}
	var all []program
	for _, m := range mains {
		if filepath.Ext(m) == ".cu" {
			all = append(all, program{name: name + "/" + filepath.Base(m), folder: folder, sources: []string{m}, needs: needsOf(m)})
		}
	}
	return all
}

// sourceNames are the extensions of source files.
var sourceNames = []string{".cu", ".cuh", ".h", ".hpp", ".cpp", ".c", ".cc", ""}

// needsOf searches files, and the sources in folders, for requirements.
func needsOf(paths ...string) string {
	var text strings.Builder
	for _, path := range paths {
		_ = filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() && strings.HasSuffix(d.Name(), "mpi") {
				return fs.SkipDir // a different program, with many processes
			}
			if err == nil && !d.IsDir() && slices.Contains(sourceNames, filepath.Ext(path)) {
				if source, err := os.ReadFile(path); err == nil && len(source) < 1<<20 && !bytes.ContainsRune(source, 0) {
					text.Write(source)
				}
			}
			return nil // an unreadable file names no requirements
		})
	}
	for _, n := range needs {
		if regexp.MustCompile(n.what).MatchString(text.String()) {
			return n.name
		}
	}
	return ""
}
