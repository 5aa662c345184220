// Package store keeps the results of simulations under a hash of everything that they depend on, so that nothing runs twice. A store is a
// folder of small files, each written whole or not at all. So any number of processes and machines may share one, and a killed process
// loses no kept result. The package knows nothing about the contents of results.
package store
