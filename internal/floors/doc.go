// Package floors has the layers of the packages: the floors, the packages on each, and which package imports which. Its tests check that
// imports go downward, and keep the picture in docs/architecture.md in step with the code.
package floors
