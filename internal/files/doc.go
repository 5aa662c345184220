// Package files reads and writes files safely, whatever names and files a user gives it. Reading is bounded. A written file appears whole
// or not at all. Two names of one file are recognised as the same file. Before a run works, it claims what it will write against everything
// that it reads. Caches and temporary folders belong to our own user alone. The package knows nothing about the contents of files.
package files
