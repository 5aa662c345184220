package sim

import (
	"bytes"
	"context"
	"fmt"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/device"
	"github.com/keplersim/keplersim/sim/hyperq"
)

// Direction says between which memories a copy goes.
type Direction uint8

// Directions.
const (
	ToDevice Direction = iota
	ToHost
	Within     // one device's memory
	ToPeer     // another device's memory
	managedIn  // managed memory, which moves as a whole
	managedOut // the same, back to the host
	setBytes   // a memset
)

// String returns the direction for timelines.
func (d Direction) String() string {
	return [...]string{"to device", "to host", "within", "to peer", "managed to device", "managed to host", "memset"}[d]
}

// Copy is a copy of memory, or a memset.
type Copy struct {
	Name      string // for messages and timelines
	Direction Direction
	// To and From are device addresses, if the direction has them; 0 for a variable without one.
	To, From uint64
	// Bytes is the size. A 2-D copy has Height rows of Width bytes, ToPitch and FromPitch bytes apart.
	Bytes, Width, Height, ToPitch, FromPitch int64
	// Pinned: the host's memory is page-locked.
	Pinned bool
	// Peer is the other device of a copy to a peer.
	Peer *GPU
	// Effect moves the bytes when the copy begins; nil if they do not matter.
	Effect Effect
}

// Effect is the effect of a copy or memset on memory. Checkpoints can contain effects that are data.
type Effect = hyperq.Effect

// EffectFunc is a function as an effect, which checkpoints cannot contain.
type EffectFunc = hyperq.EffectFunc

// microsecondsFor returns the time for some bytes at a rate in MB/s.
func microsecondsFor(bytes int64, megabytes float64) float64 { return float64(bytes) / megabytes }

// CopyTime returns how long a copy takes if nothing delays it, in microseconds.
func CopyTime(config *configs.Config, c *Copy) float64 {
	k := &config.Copies
	rate := [...][2]int{
		ToDevice: {k.PageableToDevice, k.ToDevice}, ToHost: {k.PageableToHost, k.ToHost}, Within: {}, ToPeer: {k.Peer, k.Peer},
		managedIn: {k.ToDevice, k.ToDevice}, managedOut: {k.ToHost, k.ToHost}, setBytes: {},
	}[c.Direction]
	switch c.Direction {
	case Within:
		return k.SetLatency + microsecondsFor(2*c.Bytes, k.Within*config.DRAMPeak())
	case setBytes:
		return k.SetLatency + microsecondsFor(c.Bytes, k.Set*config.DRAMPeak())
	}
	megabytes := rate[0]
	if c.Pinned {
		megabytes = rate[1]
	}
	us := k.Latency + microsecondsFor(c.Bytes, float64(megabytes))*linkTime(config)
	host, own := c.FromPitch, c.ToPitch
	if c.Direction == ToHost {
		host, own = own, host
	}
	if c.Height > 1 && host > int64(k.RowPitch) && own <= int64(k.RowPitch) {
		us += float64(c.Height) * k.RowLatency
	}
	return us
}

// linkTime returns the time of bytes over the link relative to that at the board's base clock.
func linkTime(config *configs.Config) float64 {
	if config.Clocks.Core == config.Clocks.Base {
		return 1
	}
	part := config.Copies.CorePart
	return 1 - part + part*float64(config.Clocks.Base)/float64(config.Clocks.Core)
}

// engineOf returns the copy engine of a direction.
func engineOf(config *configs.Config, d Direction) int {
	if (d == ToHost || d == managedOut) && config.Copies.Engines > 1 {
		return 1
	}
	return 0
}

// span returns the distance from the first to behind the last byte of a side of the copy.
func (c *Copy) span(pitch int64) int64 {
	if c.Height > 0 {
		return (c.Height-1)*pitch + c.Width
	}
	return c.Bytes
}

// check checks a copy against the memories.
func (g *GPU) check(c *Copy) error {
	look := func(of *GPU, address uint64, bytes int64, what string) error {
		if bytes == 0 || address == 0 || of.global.Find(address, int(bytes)) {
			return nil
		}
		a, _ := of.global.Nearest(address)
		if address >= a.Address && address < a.Address+a.Bytes {
			return fmt.Errorf(
				"copy %s: %d bytes %s %s+%d end past the buffer, which has %d", c.Name, bytes, what, a.Name, address-a.Address, a.Bytes,
			)
		}
		return fmt.Errorf("copy %s: %d bytes %s %#x are outside every buffer", c.Name, bytes, what, address)
	}
	var err error
	if c.Direction == managedIn || c.Direction == managedOut {
		return nil
	}
	if c.Direction != ToHost && c.Direction != ToPeer {
		err = look(g, c.To, c.span(c.ToPitch), "to")
	}
	if err == nil && c.Direction != ToDevice && c.Direction != setBytes {
		err = look(g, c.From, c.span(c.FromPitch), "from")
	}
	if err == nil && c.Direction == ToPeer {
		if err = g.CanReach(c.Peer); err == nil {
			err = look(c.Peer, c.To, c.span(c.ToPitch), "to")
		}
	}
	return err
}

// CanReach returns why the device has no peer access to another, nil if it has.
func (g *GPU) CanReach(peer *GPU) error {
	switch {
	case peer == g:
		return fmt.Errorf("device %d cannot be its own peer", g.index)
	case g.HasPeer(peer):
		return nil
	case peer.host != g.host || g.config.Copies.Peer == 0:
		return fmt.Errorf("device %d of %s has no peer access to device %d: there is no switch between them (copies.peer)", g.index,
			g.config.Name, peer.index)
	}
	return nil
}

// Copy submits a copy to a stream. As in CUDA, it waits for the end of copies of pageable memory, except for short ones to the device.
func (s *Stream) Copy(ctx context.Context, c Copy) error {
	waits, err := s.StartCopy(c)
	if err != nil || !waits {
		return err
	}
	return s.Synchronize(ctx)
}

// StartCopy submits a copy to a stream, and reports whether the host must wait for its end.
func (s *Stream) StartCopy(c Copy) (waits bool, err error) {
	g := s.gpu
	if err := g.check(&c); err != nil {
		return false, err
	}
	command := &hyperq.Command{
		Kind: hyperq.Copy, Name: c.Name, Engine: engineOf(g.config, c.Direction), Effect: c.Effect, Detail: c.Direction.String(),
		Bytes: uint64(c.Bytes), Pinned: c.Pinned,
	}
	if g.options.Functional {
		c.Bytes = 0
	} else {
		command.Duration = device.Microseconds(CopyTime(g.config, &c))
	}
	switch bytes := uint64(c.Bytes); c.Direction {
	case managedIn, managedOut: // nothing else runs meanwhile that it could delay
	case ToHost, ToPeer:
		command.Reads = hyperq.Range{Address: c.From, Bytes: bytes}
	case Within:
		command.Kind, command.Reads, command.Writes = hyperq.Memset, hyperq.Range{Address: c.From, Bytes: bytes},
			hyperq.Range{Address: c.To, Bytes: bytes}
	case setBytes:
		command.Kind, command.Writes = hyperq.Memset, hyperq.Range{Address: c.To, Bytes: bytes}
	default:
		command.Writes = hyperq.Range{Address: c.To, Bytes: bytes}
	}
	command.Visible = g.host.call(s.Process(), command.Kind.String()+" "+c.Name, g.config.Host.Copy)
	s.submit(command)
	onHost := c.Direction == ToDevice && c.Bytes > int64(g.config.Host.Pageable) || c.Direction == ToHost
	return onHost && !c.Pinned, nil
}

// Memset submits a memset of device memory to a stream. The host does not wait for it.
func (s *Stream) Memset(name string, address uint64, value byte, bytes int64) error {
	_, err := s.StartCopy(Copy{Name: name, Direction: setBytes, To: address, Bytes: bytes, Effect: setting{s.gpu, address, value, bytes}})
	return err
}

// setting is the effect of a memset.
type setting struct {
	gpu     *GPU
	address uint64
	value   byte
	bytes   int64
}

// Apply sets the bytes.
func (e setting) Apply() error {
	return e.gpu.Write(e.address, bytes.Repeat([]byte{e.value}, int(e.bytes)))
}
