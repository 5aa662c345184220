package cubin

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/pierrec/lz4/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// example is a module with everything that a file can contain.
func example() *Module {
	return &Module{
		Architecture: 35,
		Functions: []*Function{
			{Name: "scale", Kernel: true, Code: bytes.Repeat([]byte{1, 2, 3, 4, 5, 6, 7, 8}, 8), Registers: 58, Barriers: 1, Shared: 7200,
				Stack: 32,
				Base:  0x140, Bytes: 20, Parameters: []Parameter{{0, 8}, {8, 8}, {16, 4}}, Literals: []byte{1, 2, 3, 4},
				MaxThreads: [3]int{256, 1, 1}, ReqThreads: [3]int{128, 2, 1}},
			{Name: "add", Kernel: true, Code: make([]byte, 64), Registers: 255, Base: 0x140,
				Lines: []Line{{0, "/home/me/add.cu", 300}, {8, "vector.h", 7}, {32, "/home/me/add.cu", 299}}},
		},
		Variables: []*Variable{
			{Name: "table", Space: Constant, Offset: 4, Bytes: 8, Initial: []byte{9, 8, 7, 6, 5, 4, 3, 2}},
			{Name: "counter", Space: Global, Bytes: 4, Initial: []byte{1, 0, 0, 0}},
		},
	}
}

// A written module reads back equal.
func TestWriteAndParse(t *testing.T) {
	m := example()
	data := Write(m)
	images, err := Images(data)
	require.NoError(t, err)
	require.Len(t, images, 1)
	assert.Equal(t, 35, images[0].Architecture)
	read, err := Parse(images[0].ELF)
	require.NoError(t, err)
	for n, f := range read.Functions {
		f.symbol = 0
		assert.Equal(t, m.Functions[n], f)
	}
	assert.ElementsMatch(t, m.Variables, read.Variables)
}

// fatbin packs images as nvcc does: machine code as it is, PTX in LZ4.
func fatbin(code []byte, ptx string) []byte {
	packed := make([]byte, lz4.CompressBlockBound(len(ptx)))
	n, _ := lz4.CompressBlock([]byte(ptx), packed, nil)
	image := func(kind uint16, content []byte, flags, raw uint64) []byte {
		h := make([]byte, imageBytes)
		binary.LittleEndian.PutUint16(h, kind)
		binary.LittleEndian.PutUint32(h[4:], imageBytes)
		binary.LittleEndian.PutUint64(h[8:], uint64(len(content)+7)&^7)
		binary.LittleEndian.PutUint32(h[16:], uint32(len(content)))
		binary.LittleEndian.PutUint32(h[28:], 35)
		binary.LittleEndian.PutUint64(h[40:], flags)
		binary.LittleEndian.PutUint64(h[56:], raw)
		return append(h, append(content, make([]byte, -len(content)&7)...)...)
	}
	body := append(image(imageELF, code, 0, 0), image(imagePTX, packed[:n], flagCompressed, uint64(len(ptx)))...)
	h := make([]byte, containerBytes)
	binary.LittleEndian.PutUint32(h, containerMagic)
	binary.LittleEndian.PutUint16(h[6:], containerBytes)
	binary.LittleEndian.PutUint64(h[8:], uint64(len(body)))
	return append(h, body...)
}

func TestFatbin(t *testing.T) {
	text := ".version 4.3\n.target sm_35\n.address_size 64\n// some text that is longer than a few bytes, some text that is longer\n"
	images, err := Images(fatbin(Write(example()), text))
	require.NoError(t, err)
	require.Len(t, images, 2)
	assert.NotNil(t, images[0].ELF)
	assert.Equal(t, text, string(images[1].PTX))
}

// A damaged file is an error, never a panic, and never takes more memory than the limits allow.
func TestDamagedFiles(t *testing.T) {
	whole := fatbin(Write(example()), "some text that is longer than a few bytes, some text that is longer")
	for _, file := range [][]byte{whole, Write(example())} {
		step := 1
		if testing.Short() {
			step = 7
		}
		for at := 0; at < len(file); at += step {
			for _, value := range []byte{0, 0x7f, 0xff} {
				damaged := bytes.Clone(file)
				damaged[at] = value
				read(damaged)
			}
			read(file[:at])
		}
	}
	_, err := Images(nil)
	require.Error(t, err)
	_, err = Images([]byte("\x7fELF"))
	require.Error(t, err)
}

func read(data []byte) {
	images, err := Images(data)
	if err != nil {
		return
	}
	for _, i := range images {
		if i.ELF != nil {
			_, _ = Parse(i.ELF)
		}
	}
}

func FuzzFile(f *testing.F) {
	f.Add(Write(example()))
	f.Add(fatbin(Write(example()), "some text that is longer than a few bytes, some text"))
	f.Fuzz(func(_ *testing.T, data []byte) { read(data) })
}
