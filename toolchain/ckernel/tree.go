package ckernel

// storage says where a variable lives.
type storage uint8

const (
	automatic storage = iota
	sharedStorage
	constantStorage
	deviceStorage
	knownStorage // a const variable with a known value: it needs no memory
)

// variable is a variable, a parameter, or a constant of an enumeration.
type variable struct {
	name    string
	typ     *ctype
	storage storage
	at      position
	init    *expression
	dynamic bool   // extern __shared__: the launch gives its size
	label   string // its name in PTX, if it has a memory space of its own
	special string // threadIdx and the like: the special register
	value   *expression
	ours    bool
	bytes   []byte // its initial value, once needed
}

// function is one overload of a function.
type function struct {
	name       string
	result     *ctype
	parameters []*variable
	kernel     bool
	host       bool // __host__ alone, or no such word
	noinline   bool
	bounds     []*expression // __launch_bounds__
	at         position
	ours       bool
	body       *statement
	tokens     []token // the body of a function of our headers that has not been called yet
	called     bool
	scope      *scope
}

// operation is the kind of an expression.
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
	designate []string // for a list: .name or "" for each part
}

// action is the kind of a statement.
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

// unrolling is the request of a #pragma before a loop.
type unrolling struct {
	asked bool
	count int64 // 0: all iterations; 1: none
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

// scope maps names to their meanings.
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
