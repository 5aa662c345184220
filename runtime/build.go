package runtime

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/internal/files"
	"github.com/keplersim/keplersim/internal/pattern"
	"github.com/keplersim/keplersim/isa/debuginfo"
	"github.com/keplersim/keplersim/isa/decode"
	"github.com/keplersim/keplersim/toolchain"
)

// Build describes how to make a program: its files and options.
type Build struct {
	Sources   []string // .cu, .cpp, .cc, .c, and objects and archives made by nvcc's stand-in
	Options   toolchain.Options
	Level     string   // optimisation of host code, "0" to "3"; "" is "2"
	Libraries []string // as in m, for -lm
	Folders   []string // library folders
}

// Built is a finished program.
type Built struct {
	Path string
	Note string   // tells the user why the program is not cached; "" if it is
	Read []string // the files that it depends on, with headers
	done func()
}

// Close removes the program if it is not cached.
func (b *Built) Close() { b.done() }

// Program makes the program or finds it in the cache. A full or unwritable cache is no error.
func (b *Build) Program(ctx context.Context) (*Built, error) {
	c := openCache()
	key, err := b.key()
	if err != nil {
		return nil, err
	}
	name := "program-" + key
	if path := c.find(name); path != "" {
		if read, ok := upToDate(path); ok {
			return &Built{Path: path, Read: read, done: func() {}}, nil
		}
	}
	builder, err := toolchain.NewBuilder(ctx)
	if err != nil {
		return nil, err
	}
	made, err := b.make(ctx, builder, c)
	if err != nil {
		builder.Close()
		return nil, err
	}
	list := filepath.Join(builder.Dir, "program.json")
	if err := b.remember(list, builder.Read); err != nil {
		builder.Close()
		return nil, err
	}
	built := &Built{Path: c.keep(made, name), Read: builder.Read, done: builder.Close}
	if built.Path != made {
		c.keep(list, name+".json") // last: without this list, or with an older program's, the program is made again
		builder.Close()
		built.done = func() {}
	}
	built.Note = c.note()
	return built, nil
}

// make compiles and links in the builder's folder.
func (b *Build) make(ctx context.Context, builder *toolchain.Builder, c *cache) (made string, err error) {
	runtime, err := nativeObject(ctx, builder, c)
	if err != nil {
		return "", err
	}
	objects := []string{runtime}
	for i, source := range b.Sources {
		if !isSource(source) {
			objects = append(objects, source)
			continue
		}
		object := filepath.Join(builder.Dir, fmt.Sprintf("%d.o", i))
		if err := compileObject(ctx, builder, source, object, b.hostOptions(source)); err != nil {
			return "", err
		}
		objects = append(objects, object)
	}
	for _, library := range b.Libraries {
		if name := LibraryNamed("-l" + library); name != "" {
			object, err := c.libraryObject(ctx, builder, name)
			if err != nil {
				return "", err
			}
			objects = append(objects, object)
		}
	}
	made = filepath.Join(builder.Dir, "program")
	return made, builder.Link(ctx, objects, b.linkFlags(), made)
}

// compileObject compiles one file: a .cu file for the device and then for the host, others only for the host.
func compileObject(ctx context.Context, b *toolchain.Builder, source, object string, o toolchain.HostOptions) error {
	if filepath.Ext(source) != ".cu" {
		return b.PlainObject(ctx, source, object, o)
	}
	return CUDAObject(ctx, b, source, object, o)
}

// CUDAObject compiles a file of CUDA C, whatever its name.
func CUDAObject(ctx context.Context, b *toolchain.Builder, source, object string, o toolchain.HostOptions) error {
	o.Defines = append([]string{"__NVCC__=1"}, o.Defines...)
	device := o.Options
	device.LineInfo = true // so that errors name lines of CUDA C
	result, err := b.Device(ctx, source, device)
	if err != nil {
		return err
	}
	if !o.Linked {
		if err := undefined(source, result.PTX); err != nil {
			return err
		}
	}
	ptx := limitRegisters(result.PTX, o.Registers)
	if o.Note != nil {
		if err := o.Note(ptx); err != nil {
			return err
		}
	}
	return b.HostObject(ctx, source, makeImage(source, o.Linked, ptx), object, o)
}

// externFunction is the declaration of a function that is called and not defined, in clang's PTX.
var externFunction = pattern.Lazy(`(?m)^\.extern \.func *(?:\([^)]*\) *)?([\w$]+)`)

// undefined returns an error that names the functions that device code calls and nothing defines, as ptxas does. CUDA's own functions,
// which begin with "__" or "cuda", are left to the launch.
func undefined(source string, ptx []byte) error {
	var names []string
	for _, found := range externFunction().FindAllSubmatch(ptx, -1) {
		name := string(found[1])
		if !decode.IsSystemCall(name) && !strings.HasPrefix(name, "__") && !strings.HasPrefix(name, "cuda") {
			names = append(names, debuginfo.Demangle(name))
		}
	}
	if len(names) == 0 {
		return nil
	}
	return fmt.Errorf("%s: device code calls %s, which this file does not define; to call device functions of other files, compile all "+
		"with -rdc=true (keplersim run: --rdc)", source, strings.Join(names, ", "))
}

// entryHead is the head of a kernel in clang's PTX: directives, but no body.
var entryHead = pattern.Lazy(`(?m)^(?:\.visible |\.weak )?\.entry [^{;]*`)

// limitRegisters writes -maxrregcount into kernels without launch bounds, as ptxas does.
func limitRegisters(ptx []byte, registers int) []byte {
	if registers == 0 {
		return ptx
	}
	return entryHead().ReplaceAllFunc(ptx, func(head []byte) []byte {
		if bytes.Contains(head, []byte(".maxntid")) || bytes.Contains(head, []byte(".maxnreg")) {
			return head
		}
		return fmt.Appendf(slices.Clone(head), ".maxnreg %d\n", registers)
	})
}

func (b *Build) hostOptions(source string) toolchain.HostOptions {
	o := toolchain.HostOptions{Options: b.Options, Level: b.Level}
	o.Unit = Unit(source)
	return o
}

// Unit identifies a source file within a program.
func Unit(source string) string {
	sum := sha256.Sum256([]byte(source))
	return hex.EncodeToString(sum[:8])
}

func (b *Build) linkFlags() []string {
	var flags []string
	for _, folder := range b.Folders {
		flags = append(flags, "-L"+folder)
	}
	for _, library := range b.Libraries {
		if !replacedLibraries[library] && LibraryNamed("-l"+library) == "" {
			flags = append(flags, "-l"+library)
		}
	}
	return append(flags, "-lm")
}

// replacedLibraries are the toolkit's libraries that the runtime replaces.
var replacedLibraries = map[string]bool{"cudart": true, "cudart_static": true, "cudadevrt": true, "cuda": true}

func isSource(path string) bool {
	switch filepath.Ext(path) {
	case ".cu", ".cpp", ".cc", ".cxx", ".C", ".c":
		return true
	}
	return false
}

// key identifies a program by its files and options, without the files' contents.
func (b *Build) key() (string, error) {
	here, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("working directory: %w", err)
	}
	text, err := json.Marshal(struct {
		Build
		Here, Runtime, Headers, Own string
		Clang                       []string
	}{*b, here, nativeHash(), toolchain.HeaderHash(), files.Hash(librarySources), compilers()})
	if err != nil {
		return "", fmt.Errorf("name of the program: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:12]), nil
}

// compilers lists the compilers on PATH with their dates, so that a new compiler makes a new program.
func compilers() []string {
	var all []string
	for _, name := range toolchain.Candidates() {
		if path, err := exec.LookPath(name); err == nil {
			if info, err := os.Stat(path); err == nil {
				all = append(all, fmt.Sprint(path, info.ModTime().UnixNano(), info.Size()))
			}
		}
	}
	return all
}

// ingredient describes a file that a program was made from, at that time.
type ingredient struct {
	Path     string
	Bytes    int64
	Modified int64
}

func look(path string) (ingredient, error) {
	info, err := os.Stat(path)
	if err != nil {
		return ingredient{}, err
	}
	return ingredient{path, info.Size(), info.ModTime().UnixNano()}, nil
}

// remember writes the list of files that the program was made from. Our own headers are in its name already.
func (b *Build) remember(list string, read []string) error {
	var all []ingredient
	seen := map[string]bool{}
	for _, path := range slices.Concat(b.Sources, read) {
		if i, err := look(path); err == nil && !seen[path] {
			seen[path], all = true, append(all, i)
		}
	}
	text, err := json.Marshal(all)
	if err != nil {
		return fmt.Errorf("what the program was made of: %w", err)
	}
	if err := os.WriteFile(list, text, 0o600); err != nil {
		return &toolchain.Unwritable{Err: fmt.Errorf("what the program was made of: %w", err)}
	}
	return nil
}

// upToDate tells whether a program exists and none of its files has changed. It returns these files.
func upToDate(program string) (read []string, ok bool) {
	text, err := os.ReadFile(program + ".json")
	if err != nil {
		return nil, false
	}
	var all []ingredient
	if json.Unmarshal(text, &all) != nil {
		return nil, false
	}
	for _, was := range all {
		if is, err := look(was.Path); err != nil || is != was {
			return nil, false
		}
		read = append(read, was.Path)
	}
	_, err = os.Stat(program)
	return read, err == nil
}
