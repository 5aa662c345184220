// Sobol's sequences in kernels, scrambled ones, and those of 64 bits. recorded/sobol_more.txt has what cuRAND on a real GPU prints.
#include "sobol_draws.h"
#include <curand_kernel.h>

template <typename T> __device__ unsigned long long bits(T x) {
  unsigned long long w = 0;
  memcpy(&w, &x, sizeof x);
  return w;
}
template <typename Word, typename State> __device__ void numbers(State *s, unsigned long long *to) {
  for (int i = 0; i < 4; i++) *to++ = curand(s);
  for (int i = 0; i < 3; i++) *to++ = bits(curand_uniform(s));
  for (int i = 0; i < 3; i++) *to++ = bits(curand_uniform_double(s));
  skipahead((Word)12345, s);
  *to++ = curand(s);
  for (int i = 0; i < 3; i++) *to++ = bits(curand_normal(s));
  for (int i = 0; i < 3; i++) *to++ = bits(curand_normal_double(s));
  *to++ = bits(curand_log_normal(s, 0.5f, 2.0f)), *to++ = bits(curand_log_normal_double(s, 0.5, 2.0));
}
const int NUMBERS = 19, WORDS = 11;
template <typename Word, typename Plain, typename Scrambled> __global__ void draw(Word *vectors, Word scramble, Word offset, unsigned long long *to) {
  Plain p;
  curand_init(vectors, offset, &p);
  numbers<Word>(&p, to);
  Scrambled s;
  curand_init(vectors, scramble, offset, &s);
  numbers<Word>(&s, to + NUMBERS);
}
template <typename Word, typename Plain, typename Scrambled> void kernels(const Word *vectors, Word offset) {
  Word *d;
  unsigned long long *to, got[2 * NUMBERS];
  cudaMalloc(&d, 8 * sizeof(Word) * sizeof(Word)), cudaMalloc(&to, sizeof got);
  cudaMemcpy(d, vectors, 8 * sizeof(Word) * sizeof(Word), cudaMemcpyHostToDevice);
  draw<Word, Plain, Scrambled><<<1, 1>>>(d, (Word)0x9e3779b97f4a7c15ull, offset, to);
  cudaMemcpy(got, to, sizeof got, cudaMemcpyDeviceToHost);
  for (int k = 0; k < 2; k++) {
    printf("%s words", k ? "scrambled" : "plain");
    for (int i = 0; i < WORDS; i++) printf(" %llx", got[k * NUMBERS + i]);
    printf("\n%s normal", k ? "scrambled" : "plain");
    for (int i = WORDS; i < NUMBERS; i++) printf(" %llx", got[k * NUMBERS + i]);
    puts("");
  }
}
template <typename Vectors> unsigned long long hash(const Vectors *v, int dimensions) {
  unsigned long long h = 14695981039346656037ull;
  for (int d = 0; d < dimensions; d++)
    for (auto w : v[d]) h = (h ^ w) * 1099511628211ull;
  return h;
}

int main() {
  curandDirectionVectors32_t *v32;
  curandDirectionVectors64_t *v64;
  int got32 = curandGetDirectionVectors32(&v32, CURAND_DIRECTION_VECTORS_32_JOEKUO6), got64 = curandGetDirectionVectors64(&v64, CURAND_DIRECTION_VECTORS_64_JOEKUO6);
  printf("vectors %d %d %llx %llx\n", got32, got64, hash(v32, 481), hash(v64, 481));
  for (int dimension : {0, 1, 7, 480})
    for (int offset : {0, 1, 1000000})
      kernels<unsigned int, curandStateSobol32_t, curandStateScrambledSobol32_t>(v32[dimension], offset),
      kernels<unsigned long long, curandStateSobol64_t, curandStateScrambledSobol64_t>(v64[dimension], offset);

  curandGenerator_t g;
  auto words = [](auto g, auto *to, size_t n) { return curandGenerate(g, to, n); };
  auto longs = [](auto g, auto *to, size_t n) { return curandGenerateLongLong(g, to, n); };
  curandCreateGenerator(&g, CURAND_RNG_QUASI_SOBOL32);
  line<unsigned long long>("longs-of-32", g, 8, 1, longs);
  curandCreateGenerator(&g, CURAND_RNG_QUASI_SOBOL64);
  line<unsigned int>("words-of-64", g, 8, 1, words);
  sobol_draws<unsigned long long>("longs", g, longs);
}
