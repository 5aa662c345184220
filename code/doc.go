// Package code finds kernels by the names that people give them.
package code
