package toolchain

import "embed"

// headers has the parts of our CUDA header that the built-in compiler reads, and the names that programs include. A browser has no other
// compiler, and loads less this way.
//
//go:embed include/cuda include/system
//go:embed include/keplersim/language.h include/keplersim/constants.h include/keplersim/vectors.h include/keplersim/integers.h
//go:embed include/keplersim/video.h include/keplersim/sync.h include/keplersim/atomics.h include/keplersim/floats.h
//go:embed include/keplersim/double_double.h include/keplersim/exponentials.h include/keplersim/trigonometry.h
//go:embed include/keplersim/remainders.h include/keplersim/roots.h include/keplersim/special.h include/keplersim/functions.h
//go:embed include/keplersim/singles.h include/keplersim/overloads.h include/keplersim/vector_functions.h
var headers embed.FS
