package runtime

import "context"

// The requests of opPeer about another device as a peer of the current one.
const (
	peerAsk     = iota // can the current device access its memory?
	peerEnable         // start access
	peerDisable        // end access
)

// mostPeers is the most peers of a device at a time (d CUDA C Programming Guide, "Peer-to-Peer Memory Access").
const mostPeers = 8

// peer handles kernels' access to another device's memory. Devices can be peers if their boards give a rate for it (copies.peer).
func (s *Session) peer(ctx context.Context, d *device, q *request, a *response) {
	if q.a[0] >= uint64(len(s.devices)) || q.a[0] == uint64(d.number) {
		a.err = ErrInvalidDevice
		return
	}
	peer := s.devices[q.a[0]]
	reaches := d.config.Copies.Peer > 0 && peer.config.Copies.Peer > 0
	switch q.a[1] {
	case peerAsk:
		if reaches {
			a.r[0] = 1
		}
	case peerEnable:
		switch {
		case !reaches:
			a.err = ErrPeerUnsupported
		case d.gpu.HasPeer(peer.gpu):
			a.err = ErrPeerEnabled
		case len(d.peers()) == mostPeers:
			a.err = ErrTooManyPeers
		default:
			d.gpu.EnablePeer(peer.gpu)
		}
	case peerDisable:
		if !d.gpu.HasPeer(peer.gpu) {
			a.err = ErrPeerNotEnabled
			return
		}
		d.drain(ctx) // running kernels may still access it
		d.gpu.DisablePeer(peer.gpu)
	default:
		a.err = ErrInvalidValue
	}
}

// peers returns the devices whose memory this device accesses.
func (d *device) peers() (list []*device) {
	for _, other := range d.session.devices {
		if other != d && d.gpu.HasPeer(other.gpu) {
			list = append(list, other)
		}
	}
	return list
}

// accessingPeers returns the devices that access this device's memory.
func (d *device) accessingPeers() (list []*device) {
	for _, other := range d.session.devices {
		if other != d && other.gpu.HasPeer(d.gpu) {
			list = append(list, other)
		}
	}
	return list
}

// direct returns the other device of a copy if it is a peer of the current one, nil if the copy goes through the host.
func (d *device) direct(from, to *device) *device {
	other := from
	if from == d {
		other = to
	}
	if (from == d || to == d) && other != nil && d.gpu.HasPeer(other.gpu) {
		return other
	}
	return nil
}
