// Suites builds and runs the programs of a public suite with keplersim, as a user would: with the suite's own Makefiles and run scripts, or
// else with nvcc's command line. It reports for each program whether it was built, ran, and passed its own check, and if not, why.
//
//	go run ./tools/suites [flags] FOLDER...
//
// A folder is a checkout of a suite or a part of one. Suites works on a copy of it.
package main
