package texture

// Arrays of two and more dimensions are in blocks of 64 bytes by 8 rows on a device, and within a block in units of 16 bytes by 2 rows. So
// texels that are close in any direction are in few sectors (Mesa nouveau and envytools: the layout of Fermi and Kepler for generic
// formats). Simulated memory has the texels in rows; caches and DRAM see them in blocks.
const (
	blockBytes = 64 // bytes in a row of a block
	blockRows  = 8
	unitBytes  = 16 // bytes in a row of a unit
)

// InBlocks returns the address in the block layout of the byte at an address of the image. One-dimensional images, and images with Rows,
// are unchanged.
func (i *Image) InBlocks(address uint64) uint64 {
	if i.Rows || i.Geometry.Dimensions() == 1 {
		return address
	}
	row := i.rowBytes()
	offset := address - i.Address
	x, y, slice := offset%row, offset/row, uint64(0)
	if y >= uint64(i.Height) {
		slice, y = y/uint64(i.Height), y%uint64(i.Height)
	}
	return i.inBlock(x, y, slice)
}

// TexelInBlocks is InBlocks for a texel.
func (i *Image) TexelInBlocks(x, y, z, layer int) uint64 {
	if i.Rows || i.Geometry.Dimensions() == 1 {
		return i.Texel(x, y, z, layer)
	}
	return i.inBlock(uint64(x)*uint64(i.TexelBytes()), uint64(y), uint64(layer)*uint64(i.Depth)+uint64(z))
}

// inBlock returns the address of a byte in a row of a slice, where a slice is a two-dimensional image.
func (i *Image) inBlock(x, y, slice uint64) uint64 {
	row := i.rowBytes()
	across := (row + blockBytes - 1) / blockBytes
	down := (uint64(i.Height) + blockRows - 1) / blockRows
	block := (slice*down+y/blockRows)*across + x/blockBytes
	x, y = x%blockBytes, y%blockRows
	// Two columns of four units by two: 32-byte sectors are one unit wide and two rows high.
	within := x/(2*unitBytes)*(blockBytes*blockRows/2) + y/2*(4*unitBytes) +
		x%(2*unitBytes)/unitBytes*(2*unitBytes) + y%2*unitBytes + x%unitBytes
	return i.Address + block*blockBytes*blockRows + within
}
