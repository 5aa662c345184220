// Suites builds and runs the programs of a public suite with keplersim, as its user would: with the suite's own Makefiles and run scripts
// where it has some, and by nvcc's command line otherwise. It tells for each program whether it was built, ran, and passed its own check,
// and why not.
//
//	go run ./tools/suites [flags] FOLDER...
//
// A folder is a checkout of a suite, or a part of one; nothing in it is changed, as it is copied first.
package main
