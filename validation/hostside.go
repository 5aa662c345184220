package validation

import (
	"context"
	"fmt"

	"github.com/keplersim/keplersim/sim"
)

// The host's view of a board: launches and copies by the host's own clock, as programs measure them.

// directions are the directions of copies, by name.
var directions = map[string]sim.Direction{"to-device": sim.ToDevice, "to-host": sim.ToHost, "within": sim.Within}

// moveMemory copies or sets memory of a footprint, and returns the bytes and the time in microseconds.
func moveMemory(ctx context.Context, b *bench, row *Row) (bytes int64, us float64, err error) {
	e := row.experiment
	if bytes, err = parseBytes(e.Footprint); err != nil {
		return 0, 0, err
	}
	to, err := b.gpu.Allocate("to", uint64(bytes))
	if err != nil {
		return 0, 0, err
	}
	from, err := b.gpu.Allocate("from", uint64(bytes))
	if err != nil {
		return 0, 0, err
	}
	stream := b.gpu.Stream(0, 0)
	begin, end := sim.NewEvent("begin"), sim.NewEvent("end")
	if e.Kind == "copy" {
		stream.Record(begin)
	}
	if e.Direction == "set" {
		err = stream.Memset("memory", to, 0, bytes)
	} else {
		err = stream.Copy(
			ctx, sim.Copy{Name: "memory", Direction: directions[e.Direction], To: to, From: from, Bytes: bytes, Pinned: e.Pinned},
		)
	}
	if err != nil {
		return 0, 0, err
	}
	if e.Kind != "copy" {
		err := b.gpu.Synchronize(ctx)
		return bytes, stream.Took(), err
	}
	stream.Record(end)
	if err := b.gpu.Synchronize(ctx); err != nil {
		return 0, 0, err
	}
	us, _ = end.Elapsed(begin)
	return bytes, us, nil
}

// copyRate is the rate of a copy in MB/s: a direction (to-device, to-host, within), pinned or not, and a footprint. Copies within the
// device count bytes read plus bytes written, as bandwidth tests do.
func copyRate(ctx context.Context, b *bench, row *Row) (float64, error) {
	bytes, us, err := moveMemory(ctx, b, row)
	if row.experiment.Direction == "within" {
		bytes *= 2
	}
	return float64(bytes) / us, err
}

// copyTime is the device time of a copy or, with direction set, a memset, in microseconds.
func copyTime(ctx context.Context, b *bench, row *Row) (float64, error) {
	_, us, err := moveMemory(ctx, b, row)
	return us, err
}

// launchTime is the host time of a launch of an empty kernel, in microseconds: of the call, or with wait: true until the kernel has ended.
func launchTime(ctx context.Context, b *bench, row *Row) (float64, error) {
	module, err := b.gpu.Load(
		"empty.ptx", fmt.Appendf(nil, ".version 4.2\n.target %s\n.address_size 64\n.visible .entry empty() { ret; }\n", b.target()),
	)
	if err != nil {
		return 0, err
	}
	h := b.gpu.Host()
	begin := h.Clock(0)
	if _, err := b.gpu.Start(ctx, sim.Launch{Module: module, Kernel: "empty", Grid: [3]int{1}, Block: [3]int{32}}); err != nil {
		return 0, err
	}
	end := h.Clock(0)
	if err := b.gpu.Synchronize(ctx); err != nil {
		return 0, err
	}
	if row.experiment.Wait {
		end = h.Clock(0)
	}
	return float64(end-begin) / 1e6, nil
}
