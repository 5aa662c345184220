package debuginfo

import (
	"debug/dwarf"
	"errors"
	"fmt"
	"strings"

	"github.com/keplersim/keplersim/isa/ptx"
)

// Info is the content of a module's DWARF.
type Info struct {
	Units     []Unit
	Functions []*Function
	Globals   []Variable   // variables outside functions
	Public    []PublicName // of .debug_pubnames
	bySymbol  map[string]*Function
}

// Unit is one compilation unit.
type Unit struct {
	Name      string // the source file
	Producer  string // the compiler
	Directory string // where it ran; "" when not given
}

// Function is one function of the source.
type Function struct {
	Symbol     string // the linker's name
	Name       string // the source's name, if the compiler gives it
	Path       string // source file; "" when the module does not declare it
	Line       int    // of the declaration, from 1; 0 when not given
	External   bool
	Result     string // type; "" for void
	Begin, End int32  // byte offsets of its code in the PTX text; both 0 when not given
	Parameters []Variable
	Variables  []Variable // of all its blocks
}

// Variable is a parameter or variable of the source.
type Variable struct {
	Name     string
	Type     string
	Path     string // source file; "" when the module does not declare it
	Line     int    // of the declaration, from 1; 0 when not given
	Class    AddressClass
	Location Location
}

// Signature returns the function as programmers write it: the demangled name, and the types of the parameters.
func (f *Function) Signature() string {
	types := make([]string, len(f.Parameters))
	for i := range f.Parameters {
		types[i] = f.Parameters[i].Type
	}
	return DemangledBase(f.Symbol) + "(" + strings.Join(types, ", ") + ")"
}

// Function returns the function with a PTX symbol, nil if there is none.
func (i *Info) Function(symbol string) *Function {
	if i == nil {
		return nil
	}
	return i.bySymbol[symbol]
}

// Describe returns the best name for a symbol: the demangled linker's name in the DWARF, the signature of a function whose name is not
// mangled, else the demangled symbol. It works on a nil Info.
func (i *Info) Describe(symbol string) string {
	f := i.Function(symbol)
	if f == nil {
		return Demangle(symbol)
	}
	if name := Demangle(f.Symbol); name != f.Symbol {
		return name
	}
	return f.Signature()
}

// ErrNoDebugInfo says that a module has no .debug_info section.
var ErrNoDebugInfo = errors.New("the module has no .debug_info section; compile it with -g (clang) or -G (nvcc)")

// Read reads a module's DWARF.
func Read(file *ptx.File) (*Info, error) {
	r, err := newReader(file)
	if err != nil {
		return nil, err
	}
	if err := walk(r.data, r.entry); err != nil {
		return nil, fmt.Errorf("%s: reading .debug_info: %w", file.Name, err)
	}
	if r.info.Public, err = publicNames(r.image.Sections[".debug_pubnames"]); err != nil {
		return nil, fmt.Errorf("%s: reading .debug_pubnames: %w", file.Name, err)
	}
	r.info.findSymbols(file)
	return r.info, nil
}

// newReader assembles and opens a module's sections.
func newReader(file *ptx.File) (*reader, error) {
	image, err := Assemble(file)
	if err != nil {
		return nil, err
	}
	if len(image.Sections[".debug_info"]) == 0 {
		return nil, ErrNoDebugInfo
	}
	data, err := dwarf.New(image.Sections[".debug_abbrev"], nil, nil, image.Sections[".debug_info"], nil, nil,
		image.Sections[".debug_ranges"], image.Sections[".debug_str"])
	if err != nil {
		return nil, fmt.Errorf("%s: reading .debug_info: %w", file.Name, err)
	}
	r := &reader{image: image, files: map[int]string{}, data: data, info: &Info{bySymbol: map[string]*Function{}}}
	collectFiles(r.files, file.Statements)
	return r, nil
}

// findSymbols adds the names of the PTX functions that contain the functions' code, which may differ from the names in the DWARF.
func (i *Info) findSymbols(file *ptx.File) {
	for _, f := range i.Functions {
		if f.End == 0 {
			continue
		}
		for _, s := range file.Statements {
			code, ok := s.(*ptx.Function)
			if !ok || code.Body == nil || f.Begin < code.Body.Pos.Offset || f.Begin > code.Body.End.Offset {
				continue
			}
			if i.bySymbol[code.Name.Text] == nil {
				i.bySymbol[code.Name.Text] = f
			}
		}
	}
}

// reader walks the entries of .debug_info.
type reader struct {
	image *Image
	files map[int]string
	data  *dwarf.Data
	info  *Info
}

// entry reads one entry within a function, or outside functions, and returns the function that its children are in.
func (r *reader) entry(e *dwarf.Entry, within *Function, addressSize int) (*Function, error) {
	switch e.Tag {
	case dwarf.TagCompileUnit:
		r.info.Units = append(r.info.Units, Unit{Name: text(e, dwarf.AttrName), Producer: text(e, dwarf.AttrProducer),
			Directory: text(e, dwarf.AttrCompDir)})
		return nil, nil
	case dwarf.TagSubprogram:
		return r.function(e), nil
	case dwarf.TagFormalParameter, dwarf.TagVariable:
		v := r.variable(e, addressSize)
		switch {
		case within == nil && e.Tag == dwarf.TagVariable:
			r.info.Globals = append(r.info.Globals, v)
		case within != nil && e.Tag == dwarf.TagVariable:
			within.Variables = append(within.Variables, v)
		case within != nil:
			within.Parameters = append(within.Parameters, v)
		}
	case dwarf.TagInlinedSubroutine, dwarf.TagSubroutineType:
		// Parameters in these do not belong to the function around them.
		return nil, nil
	}
	return within, nil
}

// attributeLinkageName is DW_AT_MIPS_linkage_name, the predecessor of DW_AT_linkage_name.
const attributeLinkageName dwarf.Attr = 0x2007

func (r *reader) function(e *dwarf.Entry) *Function {
	f := &Function{
		Name: text(e, dwarf.AttrName), Symbol: text(e, dwarf.AttrLinkageName), Path: r.path(e),
		Line: int(number(e, dwarf.AttrDeclLine)), Result: r.typeOf(e),
	}
	if f.Symbol == "" {
		f.Symbol = text(e, attributeLinkageName)
	}
	if f.Symbol == "" {
		f.Symbol = f.Name
	}
	f.External, _ = e.Val(dwarf.AttrExternal).(bool)
	low, hasLow := e.Val(dwarf.AttrLowpc).(uint64)
	high, hasHigh := e.Val(dwarf.AttrHighpc).(uint64)
	if hasLow && hasHigh && low <= high && high < symbolBase {
		f.Begin, f.End = int32(low), int32(high)
	}
	r.info.Functions = append(r.info.Functions, f)
	if f.Symbol != "" && r.info.bySymbol[f.Symbol] == nil {
		r.info.bySymbol[f.Symbol] = f
	}
	return f
}

func (r *reader) variable(e *dwarf.Entry, addressSize int) Variable {
	v := Variable{
		Name: text(e, dwarf.AttrName), Type: r.typeOf(e), Path: r.path(e), Line: int(number(e, dwarf.AttrDeclLine)),
		Class: AddressClass(number(e, dwarf.AttrAddrClass)),
	}
	if expression, ok := e.Val(dwarf.AttrLocation).([]byte); ok {
		v.Location = r.image.location(expression, addressSize)
	}
	return v
}

// path returns the declaring file; its number is that of a .file directive.
func (r *reader) path(e *dwarf.Entry) string {
	return r.files[int(number(e, dwarf.AttrDeclFile))]
}

// typeOf returns the name of an entry's type; "" if it has none or it cannot be read.
func (r *reader) typeOf(e *dwarf.Entry) string {
	offset, ok := e.Val(dwarf.AttrType).(dwarf.Offset)
	if !ok {
		return ""
	}
	return r.typeAt(offset, maximumTypeDepth)
}

func text(e *dwarf.Entry, attribute dwarf.Attr) string {
	s, _ := e.Val(attribute).(string)
	return s
}

func number(e *dwarf.Entry, attribute dwarf.Attr) int64 {
	n, _ := e.Val(attribute).(int64)
	return n
}
