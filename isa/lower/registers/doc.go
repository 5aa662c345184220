// Package registers allocates: it gives virtual registers physical ones by colouring what is live at once, lays those that an operation
// reads together into different banks, and spills to local memory what finds no place.
package registers
