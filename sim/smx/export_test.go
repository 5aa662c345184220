package smx

// Plainly has every SMX run by the plain loop while a function runs. Nothing else may simulate meanwhile.
func Plainly(run func()) {
	loop = plainLoop
	defer func() {
		loop = (*SMX).events
		clear(plains)
	}()
	run()
}
