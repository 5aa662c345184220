package ptx

import (
	"iter"
	"strings"
)

// File is one parsed PTX module.
type File struct {
	Name       string      // as given to Parse
	Source     string      // the whole text; names in the tree are substrings of it
	Statements []Statement // module scope, in source order
}

// Statement is a statement at module scope or in a Block: a directive, a declaration, a label, a nested Block or an Instruction. The set of
// types is closed: those with a Node.
type Statement interface {
	// Start is the position of the statement's first character.
	Start() Position
	statement()
}

// Node is the part that all statements have.
type Node struct{ Pos Position }

// Start returns the position of a statement.
func (n *Node) Start() Position { return n.Pos }

func (*Node) statement() {}

// Version is `.version 6.4`.
type Version struct {
	Node
	Major, Minor int
}

// Target is `.target sm_35, texmode_independent, debug`.
type Target struct {
	Node
	Options []Name // the architecture and the options as written, in order
}

// AddressSize is `.address_size 64`.
type AddressSize struct {
	Node
	Bits int
}

// Name is an identifier with its position.
type Name struct {
	Pos  Position
	Text string
}

// SourceFile is `.file 1 "kernel.cu", 1234, 99`: it numbers a source file for Location.
type SourceFile struct {
	Node
	Index     int
	Path      string      // escapes resolved
	Timestamp *Expression // nil when absent
	Size      *Expression // bytes; nil when absent
}

// Location is `.loc 1 20 3, function_name $L__info_string0, inlined_at 1 30 5`: the source line of the statements that
// follow it.
type Location struct {
	Node
	File         int
	Line         int
	Column       int
	FunctionName *Expression // label of the name in .debug_str, with an optional offset; nil when absent
	InlinedAt    *CallSite   // nil when absent
}

// CallSite is the file, line and column after `inlined_at`.
type CallSite struct {
	File   int
	Line   int
	Column int
}

// Section is `.section .debug_info { … }`.
type Section struct {
	Node
	Name  string        // with its leading dot
	Lines []SectionLine // in order
}

// SectionLine is one line of a Section: a label or data, never both.
type SectionLine struct {
	Pos    Position
	Label  string        // "" for data
	Type   string        // b8, b16, b32, b64 (u and s forms as written); "" for a label
	Values []*Expression // integers, labels, section names, differences of labels
}

// Dwarf is an `@@DWARF …` line, the form of debug information in PTX 1.x.
type Dwarf struct {
	Node
	Text string // the text after @@DWARF, trimmed
}

// Pragma is `.pragma "nounroll";`.
type Pragma struct {
	Node
	Strings []string // escapes resolved
}

// Alias is `.alias name, target;`.
type Alias struct {
	Node
	Name   Name
	Target Name
}

// Linkage is a symbol's visibility to other modules.
type Linkage uint8

// The linking directives.
const (
	LinkageNone Linkage = iota
	LinkageExtern
	LinkageVisible
	LinkageWeak
	LinkageCommon
)

// Space is a state space as written in a declaration.
type Space uint8

// The state spaces of declarations.
const (
	SpaceNone Space = iota
	SpaceRegister
	SpaceSpecialRegister
	SpaceConst
	SpaceGlobal
	SpaceLocal
	SpaceParam
	SpaceShared
	SpaceTexture
)

// Variable is one declaration: `.global .align 4 .v2 .f32 a, b[4] = {1, 2};`. A parameter of a function or prototype is a Variable with
// exactly one Declarator.
type Variable struct {
	Node
	Linkage     Linkage
	Space       Space
	Bank        int          // of `.const[3]`; -1 when none is written
	Align       *Expression  // nil when not written
	Vector      int          // elements of .v2, .v4 (.v3, .v8); 1 for a scalar
	Type        string       // without the dot: u32, b8, f64, pred, texref, …
	Pointer     *Pointer     // of a kernel parameter; nil when not written
	Attributes  []Expression // of .attribute(.managed, .unified(1, 2)); see ExpressionCall
	Declarators []Declarator
}

// Pointer is the `.ptr .global .align 16` of a kernel parameter.
type Pointer struct {
	Space Space       // SpaceNone: generic
	Align *Expression // nil when not written
}

// Declarator is one declared name.
type Declarator struct {
	Name  Name
	Range int // of `%r<40>`: declares %r0 to %r39; -1 for a plain name
	// Dimensions of an array, outermost first; a nil element is an unsized `[]`.
	Dimensions  []*Expression
	Initializer *Initializer // nil when absent
}

// InitializerKind says which fields of an Initializer are set.
type InitializerKind uint8

// The kinds of Initializer.
const (
	InitializerValue  InitializerKind = iota // Value
	InitializerList                          // Elements
	InitializerString                        // String
	InitializerField                         // Field and Value: addr_mode_0 = wrap, within a list
)

// Initializer is the part after `=` in a declaration, or an element of it.
type Initializer struct {
	Kind     InitializerKind
	Pos      Position
	Value    *Expression
	Elements []Initializer
	String   string // escapes resolved, no terminating zero
	Field    string
}

// Function is an `.entry` or a `.func`, defined or only declared.
type Function struct {
	Node
	Linkage       Linkage
	Entry         bool // .entry, else .func
	Attributes    []Expression
	Returns       []*Variable
	Name          Name
	HasParameters bool // there is a parameter list, perhaps empty
	Parameters    []*Variable
	Directives    []FunctionDirective
	Body          *Block // nil for a declaration
}

// FunctionDirective is a performance or calling directive in the head of a Function or CallPrototype:
// `.maxntid 256, 1, 1`, `.noreturn`, `.pragma "…"`.
type FunctionDirective struct {
	Pos       Position
	Name      string        // without the dot
	Arguments []*Expression // integers
	Strings   []string      // of .pragma
}

// CallPrototype is `label: .callprototype (returns) _ (parameters) directives;`.
type CallPrototype struct {
	Node
	Label         Name
	Returns       []*Variable
	Name          Name // `_` or a name
	HasParameters bool
	Parameters    []*Variable
	Directives    []FunctionDirective
}

// TargetList is `label: .branchtargets a, b;` or `label: .calltargets f, g;`.
type TargetList struct {
	Node
	Calls   bool // .calltargets
	Label   Name
	Targets []Name
}

// Label is `name:`.
type Label struct {
	Node
	Name string
}

// Block is `{ … }`: a scope of registers, parameters, variables and labels.
type Block struct {
	Node                // of the opening brace
	End        Position // of the closing brace
	Statements []Statement
}

// Instructions yields the instructions of the block and of blocks within it, in source order.
func (b *Block) Instructions() iter.Seq[*Instruction] {
	return func(yield func(*Instruction) bool) { b.eachInstruction(yield) }
}

func (b *Block) eachInstruction(yield func(*Instruction) bool) bool {
	for _, s := range b.Statements {
		switch s := s.(type) {
		case *Block:
			if !s.eachInstruction(yield) {
				return false
			}
		case *Instruction:
			if !yield(s) {
				return false
			}
		}
	}
	return true
}

// Mnemonic is an opcode with its modifiers. Equal mnemonics of a File share one Mnemonic, so a caller can cache lookups by pointer.
type Mnemonic struct {
	Text      string   // as written without blanks: "ld.global.v4.f32"
	Opcode    string   // "ld"
	Modifiers []string // without dots: "global", "v4", "f32"; "L2::evict_last" is one
}

// Guard is `@p` or `@!p`.
type Guard struct {
	Pos      Position
	Register string // "" when the instruction has no guard
	Not      bool
}

// Instruction is one instruction, whatever its opcode.
type Instruction struct {
	Node        // of the guard, or of the opcode when there is none
	Guard       Guard
	MnemonicPos Position
	Mnemonic    *Mnemonic
	Operands    []Operand
}

// OperandKind says what an Operand is and which fields are set.
type OperandKind uint8

// The kinds of Operand.
const (
	// OperandName is a register, symbol, label or special register: Name, and possibly Component, Not, Minus.
	OperandName OperandKind = iota
	// OperandSink is `_`, possibly with Not.
	OperandSink
	// OperandImmediate is a constant expression, which may name symbols (temp+1) and WARP_SZ: Value.
	OperandImmediate
	// OperandAddress is `[…]`. Value is the address expression ([%r1+8], [sym], [4096]). Elements follow the first comma ([tex, {x, y}],
	// [tex, sampler, {x}]). Component is a modifier after the bracket (.unified).
	OperandAddress
	// OperandIndexed is `name[index]`: Name and Value.
	OperandIndexed
	// OperandVector is `{a, b}`: Elements.
	OperandVector
	// OperandPair is `p|q`: two Elements.
	OperandPair
	// OperandList is the parenthesised `(a, b)` of a call: Elements.
	OperandList
)

// Operand is one operand, or an element of one.
type Operand struct {
	Kind  OperandKind
	Not   bool // `!p`
	Minus bool // `-%r1`, a negated register (video instructions); a negative number is an OperandImmediate
	Pos   Position
	Name  string
	// Component is the last dotted part of a name if it can be a component: x y z w, r g b a, byte selectors (b0, b3210), half-word
	// selectors (h1, h32). A symbol may have such a name too, so look up FullName first.
	Component string
	Value     *Expression
	Elements  []Operand
}

// FullName returns the name as written, with its component.
func (o *Operand) FullName() string {
	if o.Component == "" {
		return o.Name
	}
	return o.Name + "." + o.Component
}

// ExpressionKind says what an Expression is and which fields are set.
type ExpressionKind uint8

// The kinds of Expression.
const (
	ExpressionInteger ExpressionKind = iota // Text, Bits, Unsigned
	ExpressionFloat32                       // 0f3F800000: Text, Bits (the low 32)
	ExpressionFloat64                       // 0d… or decimal: Text, Bits
	ExpressionName                          // symbol, register, label, section name (.debug_info), WARP_SZ: Text
	ExpressionUnary                         // Operator X
	ExpressionBinary                        // X Operator Y
	ExpressionTernary                       // X ? Y : Z
	ExpressionCast                          // (.s64) X or (.u64) X: Text is the type without its dot
	ExpressionMask                          // 0xFF00(X): Bits is the mask, Text its spelling
	ExpressionCall                          // generic(X), mask(X, Y), and attributes .unified(X, Y): Text and Arguments
)

// Expression is a constant expression: a literal, a name, or an operator over others.
type Expression struct {
	Kind      ExpressionKind
	Operator  Operator
	Unsigned  bool // the literal has a U suffix
	Pos       Position
	Text      string
	Bits      uint64
	X, Y, Z   *Expression
	Arguments []*Expression
}

// Operator is an operator of a constant expression.
type Operator uint8

// The operators, as in C.
const (
	OperatorNone         Operator = iota
	OperatorAdd                   // + and unary plus
	OperatorSubtract              // - and unary minus
	OperatorMultiply              // *
	OperatorDivide                // /
	OperatorRemainder             // %
	OperatorShiftLeft             // <<
	OperatorShiftRight            // >>
	OperatorLess                  // <
	OperatorLessEqual             // <=
	OperatorGreater               // >
	OperatorGreaterEqual          // >=
	OperatorEqual                 // ==
	OperatorNotEqual              // !=
	OperatorAnd                   // &
	OperatorExclusiveOr           // ^
	OperatorOr                    // |
	OperatorLogicalAnd            // &&
	OperatorLogicalOr             // ||
	OperatorNot                   // ! (unary)
	OperatorComplement            // ~ (unary)
)

var linkageWords = [...]string{
	LinkageNone: "", LinkageExtern: ".extern ", LinkageVisible: ".visible ", LinkageWeak: ".weak ", LinkageCommon: ".common ",
}

var spaceWords = [...]string{
	SpaceNone: "", SpaceRegister: "reg", SpaceSpecialRegister: "sreg", SpaceConst: "const", SpaceGlobal: "global",
	SpaceLocal: "local", SpaceParam: "param", SpaceShared: "shared", SpaceTexture: "tex",
}

// String returns the directive of a state space without its dot, or "" for SpaceNone.
func (s Space) String() string { return spaceWords[s] }

// String returns the linking directive without its dot, or "" for LinkageNone.
func (l Linkage) String() string { return strings.Trim(linkageWords[l], ". ") }
