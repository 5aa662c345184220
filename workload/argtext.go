package workload

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// ArgText is one parsed --arg: a buffer to make, or an argument.
type ArgText struct {
	Text     string // as the user wrote it
	Name     string // "" if none was given
	Index    int    // the parameter's, -1 if none was given
	Buffer   *Buffer
	Argument *Argument
	Members  []ArgText // of a struct; nil for other arguments
	Bare     bool      // Argument is a number without a type; the parameter gives the type
}

// ArgHelp describes the texts that ParseArg takes; the command line prints it.
const ArgHelp = `[NAME=]VALUE, in the order of the kernel's parameters. NAME is a parameter's name or its number (0 is
the first); any other name becomes the name of the buffer that VALUE makes. VALUE is one of
  7  -1  2.5  0x1f          a number of the parameter's own type
  u32:7  f32:2.0  b32:0x3f  a number of that type
  f32[1024]                 a buffer of 1024 zeros
  f32[1024]:unset           the same, but --check reports reads before it is written
  f32[1024]:random          random numbers from 0 to 1; for integers, of the type's whole range
  u32[64]:random(1,6)       random numbers from 1 to 6; random(1,6,42) with seed 42
  s32[64]:ramp              0, 1, 2, ...; ramp(5,-2) starts at 5 and goes down by 2
  f32[64]:fill(1.5)         all 1.5
  u32[8]:values(3,1,4)      3, 1, 4, then zeros
  u8[4096]:file(image.raw)  raw bytes of a file, then zeros
  u64[2]:pointers(x,y+64)   the addresses of buffers, or so many bytes past them
  ptr:x  ptr:x+64           the address of buffer x, or 64 bytes past it
  bytes:0000803f07000000    a struct passed by value, in hexadecimal
  struct(f32[64],s32:64)    a struct passed by value: members are buffers, numbers with their types, ptr:x, structs`

// ParseArg reads the text of one --arg; see ArgHelp.
func ParseArg(text string) (ArgText, error) {
	a, err := parseArg(text)
	if err != nil {
		err = fmt.Errorf("--arg %s: %w", text, err)
	}
	return a, err
}

func parseArg(text string) (ArgText, error) {
	a := ArgText{Text: text, Index: -1}
	if err := a.parseNamed(text); err != nil {
		return a, fmt.Errorf("%w (examples: u32:7, f32:2.0, f32[1024]:random)", err)
	}
	return a, nil
}

// parseNamed reads [NAME=]VALUE.
func (a *ArgText) parseNamed(text string) error {
	value := text
	// An "=" inside parentheses belongs to a file's name.
	if name, rest, ok := strings.Cut(text, "="); ok && !strings.ContainsAny(name, ":[(") {
		value = rest
		if index, err := strconv.Atoi(name); err == nil && index >= 0 {
			a.Index = index
		} else if name == "" || name == Host {
			return fmt.Errorf("%q is not a name", name)
		} else {
			a.Name = name
		}
	}
	return a.parseValue(strings.TrimSpace(value))
}

// ParseSymbol reads the text of one --symbol: NAME=TYPE[COUNT] with contents, as in --arg; without contents the variable is set to zeros.
func ParseSymbol(text string) (Buffer, error) {
	name, value, _ := strings.Cut(text, "=")
	a := ArgText{Text: text, Name: name}
	err := a.parseValue(strings.TrimSpace(value))
	if err == nil && a.Buffer == nil || name == "" || name == Host {
		err = errors.New("this makes no variable's value")
	}
	if err != nil {
		return Buffer{}, fmt.Errorf("--symbol %s: %w; write NAME=TYPE[COUNT]:CONTENTS, as in taps=f32[3]:values(1,2,1)", text, err)
	}
	b := *a.Buffer
	b.Symbol = &Symbol{Name: name}
	if b.Init.Kind == "" {
		b.Init.Kind = InitZero
	}
	return b, nil
}

func (a *ArgText) parseValue(value string) error {
	if n, err := parseNumber(value); err == nil {
		a.Argument, a.Bare = &Argument{Type: "b64", Value: n}, true
		return nil
	}
	if inside, ok := strings.CutPrefix(value, "struct("); ok {
		if inside, ok = strings.CutSuffix(inside, ")"); !ok {
			return errors.New("the \")\" of the struct is missing")
		}
		return a.parseStruct(inside)
	}
	if open := strings.IndexByte(value, '['); open > 0 && !strings.Contains(value[:open], ":") {
		return a.parseBuffer(value, open)
	}
	form, rest, ok := strings.Cut(value, ":")
	switch {
	case !ok:
		return fmt.Errorf("%q is neither a number nor TYPE:NUMBER nor TYPE[COUNT]", value)
	case form == "ptr":
		name, offset, plus := strings.Cut(rest, "+")
		a.Argument = &Argument{Buffer: name}
		if name == "" {
			return fmt.Errorf("ptr: needs a buffer's name, as in ptr:x")
		}
		if plus {
			n, err := parseNumber(offset)
			if err != nil || n.IsFloat || n.Magnitude > MaxBufferBytes {
				return fmt.Errorf("the offset %q is not a number of bytes", offset)
			}
			a.Argument.Offset = int64(n.wrapped())
		}
		return nil
	case form == "bytes":
		raw, err := hex.DecodeString(rest)
		if err != nil || len(raw) == 0 {
			return fmt.Errorf("bytes: needs pairs of hexadecimal digits")
		}
		a.Argument = &Argument{Bytes: raw}
		return nil
	}
	t, err := ParseType(form)
	if err != nil {
		return err
	}
	n, err := parseNumber(rest)
	if err != nil {
		return err
	}
	if _, err := n.bits(t); err != nil {
		return err
	}
	a.Argument = &Argument{Type: t, Value: n}
	return nil
}

// parseBuffer reads TYPE[COUNT] and the contents after it.
func (a *ArgText) parseBuffer(value string, open int) error {
	t, err := ParseType(value[:open])
	if err != nil {
		return err
	}
	countText, rest, ok := strings.Cut(value[open+1:], "]")
	if !ok {
		return fmt.Errorf("the \"]\" is missing")
	}
	n, err := parseNumber(countText)
	if err != nil || n.IsFloat || n.Negative || n.Magnitude > MaxBufferBytes/uint64(t.Size()) {
		return fmt.Errorf("%q is not a number of elements that fit %d bytes", countText, int64(MaxBufferBytes))
	}
	b := &Buffer{Name: a.Name, Type: t, Count: int64(n.Magnitude)}
	if rest != "" {
		contents, ok := strings.CutPrefix(rest, ":")
		if !ok {
			return fmt.Errorf("%q after \"]\" is not understood: contents begin with \":\"", rest)
		}
		if b.Init, err = parseContents(contents); err != nil {
			return err
		}
	}
	if err := errors.Join(b.Init.check(t, b.Count), b.Init.checkPointers(t, b.Count)); err != nil {
		return err
	}
	a.Buffer = b
	return nil
}

// parseContents reads a buffer's initial contents: a word, with its numbers in parentheses.
func parseContents(text string) (Init, error) {
	word, inside, parenthesis := strings.Cut(text, "(")
	words := slices.Concat(initWords, initKinds)
	if !slices.Contains(words, word) {
		return Init{}, fmt.Errorf("unknown contents %q%s", word, suggest(word, words))
	}
	if parenthesis {
		var closed bool
		if inside, closed = strings.CutSuffix(inside, ")"); !closed {
			return Init{}, fmt.Errorf("the \")\" is missing")
		}
	}
	i := Init{Kind: InitKind(word)}
	if i.Kind == InitFile {
		if i.File = inside; inside == "" {
			return Init{}, fmt.Errorf("file needs a name, as in file(image.raw)")
		}
		return i, nil
	}
	if i.Kind == InitPointers {
		for _, field := range strings.Split(inside, ",") {
			p := ArgText{Text: field, Index: -1}
			if err := p.parseValue("ptr:" + strings.TrimSpace(field)); err != nil {
				return Init{}, err
			}
			i.Pointers = append(i.Pointers, *p.Argument)
		}
		return i, nil
	}
	var numbers []Number
	if strings.TrimSpace(inside) != "" {
		for _, field := range strings.Split(inside, ",") {
			n, err := parseNumber(strings.TrimSpace(field))
			if err != nil {
				return Init{}, err
			}
			numbers = append(numbers, n)
		}
	}
	takes := map[InitKind][]int{InitZero: {0}, InitUnset: {0}, InitFill: {1}, InitRamp: {0, 1, 2}, InitRandom: {0, 2, 3}}
	if counts, ok := takes[i.Kind]; ok && !slices.Contains(counts, len(numbers)) {
		return Init{}, fmt.Errorf("%s does not take %d numbers, but %v", word, len(numbers), counts)
	}
	switch i.Kind {
	case InitFill, InitValues:
		i.Values = numbers
	case InitRamp:
		i.Step = integer(1)
		if len(numbers) > 0 {
			i.Start = numbers[0]
		}
		if len(numbers) > 1 {
			i.Step = numbers[1]
		}
	case InitRandom:
		i.Seed = defaultSeed
		if len(numbers) >= 2 {
			i.Min, i.Max = &numbers[0], &numbers[1]
		}
		if len(numbers) == 3 {
			if numbers[2].IsFloat || numbers[2].Negative {
				return Init{}, fmt.Errorf("the seed %v is not a whole number, 0 or more", numbers[2])
			}
			i.Seed = numbers[2].Magnitude
		}
	}
	return i, nil
}

// parseNumber reads a decimal or hexadecimal integer, a decimal float, inf or nan.
func parseNumber(text string) (Number, error) {
	digits, negative := strings.CutPrefix(text, "-")
	if magnitude, err := strconv.ParseUint(digits, 0, 64); err == nil && !strings.HasPrefix(digits, "+") {
		return Number{Magnitude: magnitude, Negative: negative && magnitude != 0}, nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil && !math.IsInf(v, 0) || text == "" {
		return Number{}, fmt.Errorf("%q is not a number", text)
	}
	return Number{IsFloat: true, Float: v}, nil
}
