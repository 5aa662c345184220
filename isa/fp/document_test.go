package fp

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Numbers printed in "Precision and Performance: Floating Point and IEEE 754 Compliance for NVIDIA GPUs" (NVIDIA TB-06711-001).

func TestFigure1(t *testing.T) {
	a, b := uint32(0x3f800001), uint32(0xbf800002)
	assert.Equal(t, float32(1.4210855e-14), f32(FMA32(a, a, b, nearest)), "the GPU's fused multiply-add")
	assert.Equal(t, float32(0), f32(Add32(Mul32(a, a, nearest), b, nearest)), "x86-64 without fused multiply-add")
}

// Figure 5. The vectors printed in the document are rounded; of the f32 vectors that print so, these give all four values.
func TestFigure5(t *testing.T) {
	a := []uint32{0x3ff42c76, 0xbf494494, 0x3f92db19, 0x3f75dcc9}
	b := []uint32{0xbf6f7cee, 0xbf3106da, 0x3fdcbb70, 0xbf35b25d}
	serial, fused, exact := uint32(0), uint32(0), 0.0
	var products []uint32
	for i := range a {
		p := Mul32(a[i], b[i], nearest)
		products = append(products, p)
		serial = Add32(serial, p, nearest)
		fused = FMA32(a[i], b[i], fused, nearest)
		exact += float64(f32(a[i])) * float64(f32(b[i]))
	}
	parallel := Add32(Add32(products[0], products[1], nearest), Add32(products[2], products[3], nearest), nearest)
	assert.Equal(t, uint32(0x3d653510), serial)
	assert.Equal(t, uint32(0x3d653501), fused)
	assert.Equal(t, uint32(0x3d653500), parallel)
	assert.InDelta(t, 0.05595875284355, exact, 0.5e-13, "printed as 0.0559587528435…")
}
