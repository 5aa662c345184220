// Package texture is the arithmetic of Kepler's texture units: which texels an instruction reads at given coordinates, and what it
// makes of them. It knows shapes, formats and filters; memory, caches and time are others'.
package texture
