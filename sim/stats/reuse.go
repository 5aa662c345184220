package stats

// ReuseBuckets is the number of buckets of a Reuse: distances up to 2^30 lines.
const ReuseBuckets = 32

// Reuse is a histogram of reuse distances: for each request to L2, how many different 128-byte lines were requested since the last request
// to its line. An LRU cache of N lines hits those below N.
type Reuse struct {
	// Counts has the requests at distance 0 in its first bucket, those at 2^(b-1) up to 2^b - 1 in bucket b.
	Counts [ReuseBuckets]uint64
	// First counts the first requests to each line.
	First uint64
}

// Below returns the number of requests with distances below 2^bucket lines, in whole buckets.
func (r *Reuse) Below(bucket int) uint64 {
	var sum uint64
	for _, n := range r.Counts[:min(bucket+1, ReuseBuckets)] {
		sum += n
	}
	return sum
}

// Total returns the number of requests.
func (r *Reuse) Total() uint64 { return r.Below(ReuseBuckets-1) + r.First }
