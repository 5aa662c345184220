package ckernel

// storage says where a variable lives.
type storage uint8

const (
	automatic storage = iota
	sharedStorage
	constantStorage
	deviceStorage
	knownStorage // a const variable that is a number: it needs no place
)

// variable is a variable, a parameter, or a constant of an enumeration.
type variable struct {
	name    string
	typ     *ctype
	storage storage
	at      position
	init    *expression
	dynamic bool   // extern __shared__: its size is the launch's
	label   string // its name in PTX, for what lies in a memory of its own
	special string // threadIdx and relatives: the special register
	value   *expression
	ours    bool
	bytes   []byte // its initial value, once it is needed
}

// function is one overload of a function.
type function struct {
	name       string
	result     *ctype
	parameters []*variable
	kernel     bool
	host       bool // __host__ alone, or not a word
	noinline   bool
	bounds     []*expression // __launch_bounds__
	at         position
	ours       bool
	body       *statement
	tokens     []token // a body of our headers that nobody has called yet
	called     bool
	scope      *scope
}

// operation says what an expression does.
type operation uint8

const (
	constantNode operation = iota // number, typ
	stringNode
	variableNode
	functionNode // the name of a function, overloads
	unaryNode    // text: + - ! ~ * &
	stepNode     // text: ++x --x x++ x--
	binaryNode   // text
	assignNode   // text: = += ...
	chooseNode   // a ? b : c
	callNode     // parts: arguments
	indexNode
	memberNode // text: the member; arrow
	castNode
	sizeNode
	listNode
	bitCastNode
)

// expression is a node of an expression's tree.
type expression struct {
	op        operation
	at        position
	text      string
	parts     []*expression
	typ       *ctype
	bits      uint64
	variable  *variable
	overloads []*function
	arrow     bool
	designate []string // of a list's parts: .name or "", one for each
}

// action says what a statement does.
type action uint8

const (
	emptyStatement action = iota
	expressionStatement
	declarationStatement
	blockStatement
	ifStatement
	loopStatement
	switchStatement
	caseStatement
	breakStatement
	continueStatement
	returnStatement
	assemblyStatement
)

// unrolling is what a #pragma in front of a loop asks for.
type unrolling struct {
	asked bool
	count int64 // 0: all turns; 1: none
}

// statement is a node of a function's tree.
type statement struct {
	action    action
	at        position
	end       position
	value     *expression // a condition, a value, a case's number (nil: default)
	init      *statement
	step      *expression
	body      []*statement
	otherwise *statement
	variables []*variable
	testLast  bool // do ... while
	unroll    unrolling
	assembly  *assembly
}

// assembly is an asm statement.
type assembly struct {
	template        string
	volatile        bool
	outputs, inputs []operandOf
}

// operandOf is an operand of an asm statement.
type operandOf struct {
	name, constraint string
	value            *expression
}

// scope maps names to what they mean.
type scope struct {
	outer *scope
	names map[string]any // *variable, *ctype, []*function
	tags  map[string]*ctype
}

func (s *scope) find(name string) any {
	for ; s != nil; s = s.outer {
		if found, ok := s.names[name]; ok {
			return found
		}
	}
	return nil
}

func (s *scope) tag(name string) *ctype {
	for ; s != nil; s = s.outer {
		if found, ok := s.tags[name]; ok {
			return found
		}
	}
	return nil
}

func newScope(outer *scope) *scope {
	return &scope{outer: outer, names: map[string]any{}, tags: map[string]*ctype{}}
}
