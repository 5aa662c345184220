// Package store keeps the results of simulations by the content of what they depend on, so that nothing runs twice. It is a folder of
// small files, each written whole or not at all: any number of processes and machines may share one, and one that is killed loses nothing
// that was kept. It knows nothing of what a result holds.
package store
