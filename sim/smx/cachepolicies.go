package smx

import (
	"math/bits"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/cache"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/memory"
)

// policies are a cache's policies besides replacement.
type policies struct {
	chosen     bool // there is a prefetcher or bypass
	prefetcher cache.Prefetcher
	ahead      []uint64 // scratch: the lines that it names
	bypass     cache.Bypass
}

// choose makes the policies of an empty cache.
func (c *dataCache) choose(prefetcher, bypass configs.Policy) (err error) {
	p := &c.policies
	if p.prefetcher, err = cache.NewPrefetcher(prefetcher, c.line); err != nil {
		return err
	}
	if p.bypass, err = cache.NewBypass(bypass, c.Cache); err != nil {
		return err
	}
	if p.chosen = p.prefetcher != nil || p.bypass != nil; p.chosen {
		c.Owners()
	}
	return nil
}

// keepOwners makes the caches remember which warp brought each line.
func (d *dataCaches) keepOwners() {
	d.l1.Owners()
	for i := range d.readOnly {
		d.readOnly[i].Owners()
	}
}

// bypasses reports whether a load that may use the cache bypasses it.
func (p *policies) bypasses(a *access) bool {
	return p.bypass != nil && p.bypass.Past(a.lineOf(a.Address[bits.TrailingZeros32(a.Active)&31]&^(configs.LineBytes-1)))
}

// prefetchPage is the page that a prefetch never leaves, like prefetches of a cache with physical addresses: 4 KB, the smallest page of a
// GPU.
const prefetchPage = 4096

// tellPolicies passes a load's lookup to the policies, and fetches the lines that the prefetcher names. A prefetch never delays an access:
// it is dropped if no miss register is free, or too many requests are in flight.
func (l *loadStore) tellPolicies(a *access, through *dataCache, line uint64, status cache.Status, served engine.Cycle) {
	p, of := &through.policies, a.lineOf(line)
	if p.bypass != nil && a.Space != isa.SpaceLocal {
		p.bypass.Looked(of, status == cache.Hit)
	}
	if p.prefetcher == nil {
		return
	}
	p.ahead = cache.Ahead(p.prefetcher, of, status == cache.Hit, p.ahead)
	for _, next := range p.ahead {
		if next &^= uint64(through.line) - 1; (next^line) >= prefetchPage || l.pending >= l.mostPending {
			continue
		}
		if parts := through.Prefetch(next, 1<<(through.line/through.sector)-1); parts != 0 {
			r := memory.Request{Kind: memory.RequestFill, PC: cache.Unknown, Warp: cache.Unknown, Line: next}
			l.requestForCache(a.gridState, through, r, parts, served)
		}
	}
}

// tellOfEviction passes an evicted line to the policies.
func (c *dataCache) tellOfEviction(line uint64) {
	if c.bypass != nil {
		c.bypass.Evicted(c.Owners().LastEvicted())
	}
	if p, ok := c.prefetcher.(cache.EvictionListener); ok {
		p.Evicted(line)
	}
}
