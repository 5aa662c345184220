package runtime

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/memory"
)

// Limits by number: CUDA's, and two of our own for the device's cache and bank settings.
const (
	limitStack = iota
	limitPrintf
	limitHeap
	limitSyncDepth
	limitPending
	limitCacheConfig  = 100
	limitSharedConfig = 101
)

// defaultLimits returns the limits of a new device.
func defaultLimits(c *configs.Config) map[uint64]uint64 {
	return map[uint64]uint64{limitStack: uint64(c.Heap.Stack), limitPrintf: 1 << 20, limitHeap: uint64(c.Heap.Malloc), limitSyncDepth: 2,
		limitPending: 2048, limitCacheConfig: 0, limitSharedConfig: 0}
}

// limit reads or sets a limit.
func (s *Session) limit(_ context.Context, d *device, q *request, a *response) {
	if _, ok := d.limits[q.a[0]]; !ok {
		a.err = ErrUnsupportedLimit
		return
	}
	if q.a[2] != 0 {
		d.limits[q.a[0]] = q.a[1]
	}
	a.r[0] = d.limits[q.a[0]]
}

const (
	attributeCount  = 256
	attributeMemory = 200
	nameBytes       = 256
	// noAttribute is the value for numbers without an attribute, as in native/cudart_device.inc.
	noAttribute = math.MinInt64
)

// attributes returns a device's name and attributes.
func (s *Session) attributes(_ context.Context, d *device, _ *request, a *response) {
	var v [attributeCount]int64
	for number := range v {
		value, ok := sim.DeviceAttribute(d.config, number, d.number)
		if v[number] = value; !ok {
			v[number] = noAttribute
		}
	}
	_, total := d.gpu.Memory()
	v[attributeMemory] = int64(total)
	a.data = make([]byte, nameBytes, nameBytes+8*attributeCount)
	copy(a.data[:nameBytes-1], BoardName(d.config))
	for _, value := range v {
		a.data = binary.LittleEndian.AppendUint64(a.data, uint64(value))
	}
}

// BoardName is the name that a driver reports: the beginning of the description.
func BoardName(c *configs.Config) string {
	name, _, _ := strings.Cut(c.Description, ",")
	if name == "" {
		return c.Name
	}
	return name
}

// UUID is a device's UUID in nvidia-smi's format; its bytes are those of cudaDeviceProp.uuid.
func UUID(device int) string {
	b := []byte("keplersim device")
	b[15] = byte('0' + device)
	return fmt.Sprintf("GPU-%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// MemoryBytes is the size of a board's memory without the part for ECC.
func MemoryBytes(c *configs.Config) uint64 { return memory.NewGlobal(c).Capacity() }
