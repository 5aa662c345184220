package largepages

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// A plan is carried out once, when a simulation begins.
func TestAPlanIsCarriedOutOnce(t *testing.T) {
	count := 0
	Begin()
	Plan(func() { count++ })
	require.Zero(t, count)
	Begin()
	Begin()
	require.Equal(t, 1, count)
}

// What the heap grows by has large pages, and no memory before it is used.
func TestTheHeapGrowsInLargePages(t *testing.T) {
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage"); err != nil {
		t.Skip("the kernel has no large pages")
	}
	ForHeap(64 << 20)
	var rows [][]byte
	for range 16 {
		rows = append(rows, make([]byte, 1<<20))
	}
	last := uintptr(unsafe.Pointer(&rows[15][0])) // those before may fill what the heap had
	large, kilobytes := mappingOf(t, last)
	require.True(t, large)
	require.Less(t, kilobytes, 32<<10)
}

// mappingOf returns whether the mapping with an address has large pages, and how much of it is in memory.
func mappingOf(t *testing.T, address uintptr) (large bool, kilobytes int) {
	file, err := os.Open("/proc/self/smaps")
	require.NoError(t, err)
	defer file.Close()
	found := false
	for lines := bufio.NewScanner(file); lines.Scan(); {
		line := lines.Text()
		var from, to uintptr
		if n, _ := fmt.Sscanf(line, "%x-%x", &from, &to); n == 2 {
			found = from <= address && address < to
		}
		switch name, rest, _ := strings.Cut(line, ":"); {
		case found && name == "Rss":
			_, err = fmt.Sscanf(rest, "%d", &kilobytes)
			require.NoError(t, err)
		case found && name == "VmFlags":
			return strings.Contains(rest, " hg"), kilobytes
		}
	}
	t.Skip("the kernel does not say which mappings have large pages")
	return false, 0
}
