// Fast Fourier transform of 512 complex numbers a block, radix 2, in shared memory (Stockham's order, which needs no bit reversal).
//
// Nine stages, each of which joins pairs of transforms to ones twice as long: a thread reads two numbers, turns one of them by a
// twiddle factor, and writes the sum and the difference. Stages take turns between two buffers, so one barrier a stage is enough.
// A number is a float2, and 32 lanes ask for 256 bytes, so that every access of shared memory takes two passes; with banks of
// 8 bytes (--bank-mode 8) it takes one, but for the first stages' stores, whose places lie too close together. The twiddle
// factors are a table from the host in the order of their use, the factors of one stage side by side, and come through GK110's
// read-only cache.
constexpr int POINTS = 512, HALF = POINTS / 2;

extern "C" __global__ void fft512(const float2 *in, float2 *out, const float2 *__restrict__ twiddles) {
  __shared__ float2 buffers[2][POINTS];
  int t = threadIdx.x;
  const float2 *from = in + blockIdx.x * POINTS;
  float2 *to = buffers[0];
  for (int length = 1; length < POINTS; length *= 2) { // of the transforms that are done so far
    int k = t & (length - 1);
    float2 a = from[t], b = from[t + HALF], w = __ldg(&twiddles[length + k]);
    float2 turned = make_float2(fmaf(w.x, b.x, -(w.y * b.y)), fmaf(w.x, b.y, w.y * b.x));
    int place = 2 * t - k;
    to[place] = make_float2(a.x + turned.x, a.y + turned.y);
    to[place + length] = make_float2(a.x - turned.x, a.y - turned.y);
    __syncthreads();
    from = to;
    to = to == buffers[0] ? buffers[1] : buffers[0];
  }
  out[blockIdx.x * POINTS + t] = from[t];
  out[blockIdx.x * POINTS + t + HALF] = from[t + HALF];
}
