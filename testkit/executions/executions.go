// Package executions runs a fuzzer's function many times a second. Go's own fuzzing finds inputs that reach new code, but passes each to
// another process, which takes longer than most parsers. This package changes known inputs blindly in one process. It knows nothing of what
// it fuzzes.
package executions

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/keplersim/keplersim/internal/files"
	"github.com/keplersim/keplersim/testkit/mutate"
)

// Environment variables. Variable, such as 20s, is the time for which to run the function; without it Go fuzzes, or runs the seeds. Found
// is a folder with the results of Go's fuzzing, FUZZER/FILE, to use as further seeds.
const (
	Variable = "KEPLERSIM_EXECUTIONS"
	Found    = "KEPLERSIM_FOUND"
)

const (
	longest = 4096             // most bytes of a text to change, as parsers need time for each byte
	tooLong = 20 * time.Second // for one execution
	perLook = 16               // executions between two checks of the clock
)

// Fuzz is f.Fuzz(function), for functions of texts, bytes and unsigned numbers.
func Fuzz(f *testing.F, function any) {
	f.Helper()
	limit, err := time.ParseDuration(os.Getenv(Variable))
	if err != nil {
		f.Fuzz(function)
		return
	}
	r := &runner{body: reflect.ValueOf(function), name: f.Name()}
	var mark []any
	for i := 1; i < r.body.Type().NumIn(); i++ {
		mark = append(mark, marked(r.body.Type().In(i)).Interface())
	}
	f.Add(mark...) // after the fuzzer's own seeds: when it arrives, all are known
	f.Fuzz(reflect.MakeFunc(r.body.Type(), func(in []reflect.Value) []reflect.Value {
		if !isMarked(in[1:]) {
			r.seeds = append(r.seeds, in[1:])
			return nil
		}
		r.read(filepath.Join("testdata", "fuzz"))
		r.read(os.Getenv(Found))
		r.run(in[0].Interface().(*testing.T), limit)
		return nil
	}).Interface())
}

// marked is the argument of a type that marks the end of the seeds.
func marked(of reflect.Type) reflect.Value {
	v := reflect.New(of).Elem()
	switch of.Kind() {
	case reflect.String, reflect.Slice:
		return reflect.ValueOf("the last of the seeds").Convert(of)
	}
	v.SetUint(0xa5a5a5a5a5a5a5a5 >> (64 - of.Bits()))
	return v
}

func isMarked(in []reflect.Value) bool {
	return !slices.ContainsFunc(in, func(v reflect.Value) bool { return fmt.Sprint(v) != fmt.Sprint(marked(v.Type())) })
}

// runner runs a fuzzer's function.
type runner struct {
	body  reflect.Value
	name  string
	seeds [][]reflect.Value
	count uint64
}

// read adds the inputs in the fuzzer's folder, in Go's format with a line for each argument. It skips unreadable ones.
func (r *runner) read(folder string) {
	names, _ := filepath.Glob(filepath.Join(folder, r.name, "*")) // the pattern is valid
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")[1:]
		var seed []reflect.Value
		for i, line := range lines {
			_, value, ok := strings.Cut(strings.TrimSuffix(line, ")"), "(")
			if !ok || i+1 >= r.body.Type().NumIn() {
				break
			}
			of := reflect.New(r.body.Type().In(i + 1)).Elem()
			if of.Kind() == reflect.String || of.Kind() == reflect.Slice {
				value, err = strconv.Unquote(value)
				of = reflect.ValueOf(value).Convert(of.Type())
			} else if number, wrong := strconv.ParseUint(value, 0, 64); wrong == nil {
				of.SetUint(number)
			} // other forms, such as a byte written as a character, stay zero
			if err != nil {
				break
			}
			seed = append(seed, of)
		}
		if len(seed) == r.body.Type().NumIn()-1 {
			r.seeds = append(r.seeds, seed)
		}
	}
}

// run calls the function with changed seeds. It stores a failing input where Go's fuzzing would.
func (r *runner) run(t *testing.T, limit time.Duration) {
	var in []reflect.Value
	began := time.Now()
	defer func() {
		fault := recover()
		if fault != nil || t.Failed() || t.Skipped() {
			t.Errorf("execution %d, kept as %s: %v", r.count, r.keep(in[1:]), fault)
		}
	}()
	random := rand.New(rand.NewPCG(uint64(began.UnixNano()), 0))
	var slowest time.Duration
	for before := began; before.Sub(began) < limit && !t.Failed(); {
		in = append(in[:0], reflect.ValueOf(t))
		for i, v := range r.seeds[random.IntN(len(r.seeds))] {
			in = append(in, r.changed(random, i, v))
		}
		r.body.Call(in)
		if r.count++; r.count%perLook == 0 {
			now := time.Now()
			slowest, before = max(slowest, now.Sub(before)), now
		}
	}
	took := time.Since(began)
	t.Logf("%d executions in %.1f s from %d inputs; %d of them took %v at most", r.count, took.Seconds(), len(r.seeds), perLook, slowest)
	if slowest > tooLong {
		t.Errorf("an input took %v", slowest)
	}
}

// changed returns a seed's argument, changed in some places.
func (r *runner) changed(random *rand.Rand, argument int, v reflect.Value) reflect.Value {
	switch v.Kind() {
	case reflect.String:
		other := r.seeds[random.IntN(len(r.seeds))][argument].String()
		return reflect.ValueOf(string(mutate.Bytes(random, []byte(window(random, v.String())), other))).Convert(v.Type())
	case reflect.Slice:
		other := r.seeds[random.IntN(len(r.seeds))][argument].Bytes()
		return reflect.ValueOf(mutate.Bytes(random, []byte(window(random, string(v.Bytes()))), string(other))).Convert(v.Type())
	}
	of := reflect.New(v.Type()).Elem()
	switch number := v.Uint(); random.IntN(4) {
	case 0:
		of.SetUint(number)
	case 1:
		of.SetUint(number ^ 1<<random.IntN(v.Type().Bits()))
	case 2:
		of.SetUint((number + uint64(random.IntN(9)) - 4) & (1<<v.Type().Bits() - 1))
	case 3:
		of.SetUint(random.Uint64() >> (64 - v.Type().Bits()))
	}
	return of
}

// window returns a piece of a text that is too long.
func window(random *rand.Rand, text string) string {
	if len(text) <= longest {
		return text
	}
	at := random.IntN(len(text) - longest)
	return text[at : at+longest]
}

// keep stores an input where Go's fuzzing keeps failing inputs, and returns its name.
func (r *runner) keep(in []reflect.Value) string {
	text := "go test fuzz v1\n"
	for _, v := range in {
		text += fmt.Sprintf("%s(%#v)\n", strings.Replace(v.Type().String(), "[]uint8", "[]byte", 1), literal(v))
	}
	folder := filepath.Join("testdata", "fuzz", r.name)
	name := filepath.Join(folder, fmt.Sprintf("%x", sha256.Sum256([]byte(text)))[:16])
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err.Error()
	}
	if err := files.Put(name, 0o666, []byte(text)); err != nil {
		return err.Error()
	}
	return name
}

// literal is the value in the parentheses of a conversion.
func literal(v reflect.Value) any {
	if v.Kind() == reflect.Slice {
		return string(v.Bytes())
	}
	return v.Interface()
}
