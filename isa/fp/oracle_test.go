package fp

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/testkit/oracle"
)

// keyOf reads a form's name as a key; false for forms that are not of this package (integer arithmetic, video).
func keyOf(form oracle.Form) (k Key, ok bool) {
	words := strings.Split(form.Name, ".")
	k.Op = words[0]
	types := words[:0:0]
	for _, w := range words[1:] {
		if r := slices.Index(roundingNames[:], w); r > 0 {
			k.Rounding = Rounding(r)
		} else if c := slices.Index(compareNames[:], w); c > 0 {
			k.Comparison = Compare(c)
		} else if _, isType := kinds[w]; isType {
			types = append(types, w)
		} else if _, isTest := tests[w]; isTest {
			k.Test = w
		} else {
			switch w {
			case "ftz":
				k.Flush = true
			case "sat":
				k.Saturate = true
			case "approx":
				k.Approx = true
			case "full":
				k.Full = true
			default:
				return k, false
			}
		}
	}
	if len(types) == 0 {
		return k, false
	}
	switch k.Op {
	case "cvt":
		k.Type, k.From = types[0], types[1]
		return k, true
	case "set", "slct":
		k.Type = types[len(types)-1]
		return k, true
	}
	k.Type = types[0]
	return k, k.Type[0] == 'f' && len(types) == 1
}

// run puts all vectors of a form through its lane form, 32 at a time.
func run(t *testing.T, form oracle.Form, k Key, operand func(ptxType string, position int) []uint64) []uint64 {
	op, ok := Find(k)
	require.True(t, ok, "%s: no operation for %+v", form.Name, k)
	var in [3][]uint64
	for i, typ := range form.Inputs {
		in[i] = operand(typ, i)
	}
	out := make([]uint64, oracle.Vectors)
	for base := 0; base < oracle.Vectors; base += 32 {
		var narrow [3]Lanes32
		var wide [3]Lanes64
		for i := range form.Inputs {
			for l := range 32 {
				wide[i][l] = in[i][base+l]
				narrow[i][l] = uint32(in[i][base+l])
			}
		}
		var d32 Lanes32
		var d64 Lanes64
		const all = ^uint32(0)
		whole := func(mask uint32, yes, no uint64) {
			for l := range 32 {
				d64[l] = no
				if mask>>l&1 != 0 {
					d64[l] = yes
				}
			}
		}
		yes := uint64(1)
		if k.Op == "set" {
			yes = 0xffffffff
			if strings.Contains(form.Name, ".f32.f") {
				yes = one32
			}
		}
		switch {
		case op.Unary32 != nil:
			op.Unary32(&d32, &narrow[0], all)
		case op.Binary32 != nil:
			op.Binary32(&d32, &narrow[0], &narrow[1], all)
		case op.Ternary32 != nil:
			op.Ternary32(&d32, &narrow[0], &narrow[1], &narrow[2], all)
		case op.Unary64 != nil:
			op.Unary64(&d64, &wide[0], all)
		case op.Binary64 != nil:
			op.Binary64(&d64, &wide[0], &wide[1], all)
		case op.Ternary64 != nil:
			op.Ternary64(&d64, &wide[0], &wide[1], &wide[2], all)
		case op.Widen != nil:
			op.Widen(&d64, &narrow[0], all)
		case op.Narrow != nil:
			op.Narrow(&d32, &wide[0], all)
		case k.Op == "slct":
			mask := op.Test32(&narrow[2], all)
			for l := range 32 {
				d64[l] = wide[1-mask>>l&1][l]
			}
		case op.Test32 != nil:
			whole(op.Test32(&narrow[0], all), yes, 0)
		case op.Test64 != nil:
			whole(op.Test64(&wide[0], all), yes, 0)
		case op.Compare32 != nil:
			whole(op.Compare32(&narrow[0], &narrow[1], all), yes, 0)
		case op.Compare64 != nil:
			whole(op.Compare64(&wide[0], &wide[1], all), yes, 0)
		}
		for l := range 32 {
			x := d64[l]
			if op.Unary32 != nil || op.Binary32 != nil || op.Ternary32 != nil || op.Narrow != nil {
				x = uint64(d32[l])
			}
			out[base+l] = x << (64 - 8*form.Width) >> (64 - 8*form.Width)
		}
	}
	return out
}

// TestForms holds every floating-point and conversion form to the bits of a real GPU.
func TestForms(t *testing.T) {
	o, err := oracle.Open()
	require.NoError(t, err)
	forms := 0
	for _, form := range o.Forms {
		k, ok := keyOf(form)
		if !ok {
			continue
		}
		forms++
		t.Run(form.Name, func(t *testing.T) {
			got := run(t, form, k, o.Operand)
			wrong, first := 0, -1
			for i, want := range form.Outputs {
				if got[i] != want {
					if wrong == 0 {
						first = i
					}
					wrong++
				}
			}
			if wrong != 0 {
				var in []uint64
				for p, typ := range form.Inputs {
					in = append(in, o.Operand(typ, p)[first])
				}
				assert.Fail(t, "bits differ", "%d of %d vectors differ; first: %s of %x is %x, the GPU has %x", wrong, oracle.Vectors,
					form.Name, in, got[first], form.Outputs[first])
			}
		})
	}
	require.Equal(t, 644, forms)
}
