// Package all registers all generations of the simulator. To add one, import its package here.
package all

import (
	_ "github.com/keplersim/keplersim/arch/fermi"  // compute capability 2.x
	_ "github.com/keplersim/keplersim/arch/kepler" // compute capability 3.x
)
