// SHA-256 of a message that ends in the thread's number, and the smallest hash of all: how coins are mined and passwords tried.
//
// Some two thousand instructions on 32-bit words, hardly any memory, no branch. Rotations are what counts: GK110 does one with a
// funnel shift (shf), GK104 (sha256.sm_30.ptx) with two shifts and an addition, and shifts have 64 lanes an SMX (GK104: 32) where
// additions have 160. The 64 rounds are unrolled, so that the message schedule w[] stays in registers; the code is then larger
// than the instruction cache, and warps wait for instructions.
__constant__ unsigned int rounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
constexpr int HEADER = 12; // words that all messages share

__device__ __forceinline__ unsigned int rotate(unsigned int x, int n) { return x >> n | x << (32 - n); }

// hashes[k * messages + i] is word k of message i's hash.
extern "C" __global__ void sha256(const unsigned int *header, unsigned int *hashes, unsigned int *smallest, unsigned int messages) {
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= messages) return;
  unsigned int w[16], h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}, s[8];
  for (int j = 0; j < HEADER; j++) w[j] = header[j];
  w[HEADER] = i, w[13] = 0x80000000, w[14] = 0, w[15] = 32 * (HEADER + 1); // the end mark and the length in bits
  for (int j = 0; j < 8; j++) s[j] = h[j];
#pragma unroll
  for (int r = 0; r < 64; r++) {
    if (r >= 16) {
      unsigned int a = w[(r + 1) % 16], b = w[(r + 14) % 16];
      w[r % 16] += (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[(r + 9) % 16] + (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
    }
    unsigned int choice = s[6] ^ (s[4] & (s[5] ^ s[6])), majority = (s[0] & s[1]) | (s[2] & (s[0] | s[1]));
    unsigned int first = s[7] + (rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25)) + choice + rounds[r] + w[r % 16];
    unsigned int second = (rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)) + majority;
    s[7] = s[6], s[6] = s[5], s[5] = s[4], s[4] = s[3] + first, s[3] = s[2], s[2] = s[1], s[1] = s[0], s[0] = first + second;
  }
  for (int j = 0; j < 8; j++) hashes[j * messages + i] = h[j] + s[j];
  atomicMin(smallest, h[0] + s[0]);
}
