// Package floors holds the test that keeps the house standing: each package imports only packages on lower floors.
package floors
