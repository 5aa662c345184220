// Package files reads and writes files so that nothing a user names can do harm: reading is bounded, a file that is written appears
// whole or not at all, and two names of one file are known for what they are. A run claims what it writes before it
// works, with everything that it reads; caches and temporary folders are our own user's alone. It knows nothing of what files hold.
package files
