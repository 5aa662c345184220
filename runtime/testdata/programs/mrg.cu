// MRG32k3a of cuRAND's host interface and of kernels, bit for bit. recorded/mrg.txt has what cuRAND on a real GPU prints.
#include <curand.h>
#include <curand_kernel.h>
#include <cstdio>
#include <cstring>
#include <vector>
template <typename T> unsigned long long hash(const T *p, size_t n) {
  unsigned long long h = 14695981039346656037ull;
  for (size_t i = 0; i < n * sizeof(T); i++) h = (h ^ ((const unsigned char *)p)[i]) * 1099511628211ull;
  return h;
}
template <typename T> void line(const char *name, int status, T *d, size_t n) {
  std::vector<T> h(n);
  cudaMemcpy(h.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost);
  printf("mrg32k3a 1 legacy %s: %d %016llx", name, status, hash(h.data(), n));
  for (size_t from : {(size_t)0, (size_t)4, (size_t)4094, (size_t)8190, n / 2, n - 4})
    for (int i = 0; i < 4; i++) {
      unsigned long long w = 0;
      memcpy(&w, &h[from + i], sizeof(T));
      printf(" %llx", w);
    }
  puts("");
}
__global__ void device(unsigned *w, float *u, double *d, float *normal, unsigned *skip) {
  curandStateMRG32k3a s;
  int i = threadIdx.x;
  curand_init(1234ull + i / 8, i % 8, 3 * i, &s);
  for (int k = 0; k < 4; k++) w[4 * i + k] = curand(&s);
  for (int k = 0; k < 4; k++) u[4 * i + k] = curand_uniform(&s);
  for (int k = 0; k < 4; k++) d[4 * i + k] = curand_uniform_double(&s);
  for (int k = 0; k < 4; k++) normal[4 * i + k] = curand_normal(&s);
  skipahead(1000ull, &s), skip[4 * i] = curand(&s);
  skipahead_subsequence(5ull, &s), skip[4 * i + 1] = curand(&s);
  skipahead_sequence(2ull, &s), skip[4 * i + 2] = curand(&s);
  skipahead(0x123456789abcull, &s), skip[4 * i + 3] = curand(&s);
}
int main() {
  const size_t n = 100000;
  unsigned *w;
  float *u;
  double *d;
  cudaMalloc(&w, n * 4), cudaMalloc(&u, n * 4), cudaMalloc(&d, n * 8);
  curandGenerator_t g;
  curandCreateGenerator(&g, CURAND_RNG_PSEUDO_MRG32K3A);
  curandSetPseudoRandomGeneratorSeed(g, 987654321ull), curandSetGeneratorOrdering(g, CURAND_ORDERING_PSEUDO_LEGACY);
  line("words", curandGenerate(g, w, n), w, n);
  line("words again", curandGenerate(g, w, n), w, n);
  line("uniform", curandGenerateUniform(g, u, n), u, n);
  line("uniform double", curandGenerateUniformDouble(g, d, n), d, n);
  line("normal", curandGenerateNormal(g, u, n, 1, 2), u, n);
  line("normal double", curandGenerateNormalDouble(g, d, n, 1, 2), d, n);
  curandSetGeneratorOffset(g, 12345);
  line("words at 12345", curandGenerate(g, w, n), w, n);
  device<<<1, 32>>>(w, u, d, u + 4096, w + 4096);
  unsigned h[128];
  float f[128];
  double e[128];
  cudaMemcpy(h, w, 512, cudaMemcpyDefault);
  for (int i = 0; i < 128; i++) printf("%x ", h[i]);
  puts("words");
  cudaMemcpy(f, u, 512, cudaMemcpyDefault);
  for (int i = 0; i < 128; i++) printf("%a ", f[i]);
  puts("uniform");
  cudaMemcpy(e, d, 1024, cudaMemcpyDefault);
  for (int i = 0; i < 128; i++) printf("%a ", e[i]);
  puts("double");
  cudaMemcpy(h, w + 4096, 512, cudaMemcpyDefault);
  for (int i = 0; i < 128; i++) printf("%x ", h[i]);
  puts("skip");
}
