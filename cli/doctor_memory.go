package cli

import (
	"bytes"
	"fmt"
	"os"
)

// systemMemory returns the machine's memory and the part available to programs, in bytes, from Linux's /proc/meminfo; 0 on other systems.
func systemMemory() (total, available uint64) {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, 0
	}
	for line := range bytes.Lines(text) {
		var name string
		var kibibytes uint64
		if _, err := fmt.Sscanf(string(line), "%s %d kB", &name, &kibibytes); err != nil {
			continue
		}
		switch name {
		case "MemTotal:":
			total = kibibytes << 10
		case "MemAvailable:":
			available = kibibytes << 10
		}
	}
	return total, available
}
