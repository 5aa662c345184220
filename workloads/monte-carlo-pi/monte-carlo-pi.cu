// Pi by chance: throw points at a square and count those inside the circle.
//
// Nothing but whole-number arithmetic in registers. Each thread has a random number generator of its own (xorshift by
// Marsaglia: three shifts, three exclusive ors), started from a hash of the thread's number. Kepler adds and compares whole numbers on
// 160 lanes an SMX, but shifts them on 64 (GK104: 32) and multiplies them on 32: on GK110 the schedulers have
// just about enough to do, on GK104 (--config gk104) the shifts hold everything up. A warp adds its counts by shuffles and sends
// one atomic addition.
__device__ __forceinline__ unsigned int next_random(unsigned int &state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

extern "C" __global__ void throw_points(unsigned int *inside, int points, unsigned int seed) {
  unsigned int state = (blockIdx.x * blockDim.x + threadIdx.x + seed) * 2654435761u;
  state = (state ^ state >> 16) * 2246822519u | 1u; // any start but zero
  unsigned int count = 0;
  for (int i = 0; i < points; i++) {
    unsigned int x = next_random(state) >> 17, y = next_random(state) >> 17; // 15 bits each: the squares' sum fits 32
    if (x * x + y * y < 1u << 30) count++;
  }
  for (int distance = warpSize / 2; distance > 0; distance /= 2) count += __shfl_down(count, distance);
  if (threadIdx.x % warpSize == 0) atomicAdd(inside, count);
}
