// Numbers of cuRAND's host interface, bit for bit. recorded/random.txt has what cuRAND on a real GPU prints.
#include <curand.h>
#include <cstdio>
#include <cstring>
#include <vector>
template <typename T> void show(const char *what, int status, T *p, size_t n) {
  std::vector<T> h(n);
  cudaMemcpy(h.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost);
  unsigned long long hash = 1469598103934665603ull;
  for (size_t i = 0; i < n * sizeof(T); i++) hash = (hash ^ ((unsigned char *)h.data())[i]) * 1099511628211ull;
  printf("%s status %d hash %016llx:", what, status, hash);
  for (size_t i : {0, 1, 2, 3, 4, 5, 6, 7, 4095, 4096, 4097, 8191, 8192, 8193, 12288, 16383, 16384, 16385, 65536, 81919, 81920, 81921, 98303})
    if (i < n) { unsigned long long b = 0; memcpy(&b, &h[i], sizeof(T)); printf(" %llx", b); }
  printf("\n");
}
int main() {
  unsigned *u; float *f; double *d; const size_t n = 100000;
  cudaMalloc(&u, 4 * n), cudaMalloc(&f, 4 * n), cudaMalloc(&d, 8 * n);
  for (int type : {100}) {
    const int order = 103;
    curandGenerator_t g; int s = curandCreateGenerator(&g, (curandRngType_t)type);
    printf("type %d create %d order %d: %d seed %d\n", type, s, order, curandSetGeneratorOrdering(g, (curandOrdering_t)order), curandSetPseudoRandomGeneratorSeed(g, 1234ull));
    s = curandGenerate(g, u, n); show("uint", s, u, n);
    s = curandGenerate(g, u, 1000); show("uint again", s, u, 1000);
    s = curandGenerateUniform(g, f, n); show("uniform", s, f, n);
    s = curandGenerateUniformDouble(g, d, n); show("uniform double", s, d, n);
    s = curandGenerateNormal(g, f, n, 0, 1); show("normal", s, f, n);
    s = curandGenerateNormal(g, f, 999, 0, 1); printf("odd %d\n", s);
    s = curandGenerateNormalDouble(g, d, n, 1, 2); show("normal double", s, d, n);
    s = curandGenerateLogNormal(g, f, n, 0, 1); show("lognormal", s, f, n);
    curandDestroyGenerator(g);
  }
  for (int type : {100})
    for (unsigned long long offset : {1ull, 3ull, 4096ull, 5000ull}) {
    curandGenerator_t g; curandCreateGenerator(&g, (curandRngType_t)type); curandSetGeneratorOrdering(g, (curandOrdering_t)103);
    curandSetPseudoRandomGeneratorSeed(g, 77ull); curandSetGeneratorOffset(g, offset);
    int s = curandGenerate(g, u, n); printf("type %d offset %llu ", type, offset); show("uint", s, u, n);
    s = curandGenerateUniform(g, f, 1001); show("uniform", s, f, 1001);
    s = curandGenerateNormal(g, f, 1002, 0, 1); show("normal", s, f, 1002);
    curandDestroyGenerator(g);
  }
  for (unsigned long long offset : {0ull, 1ull, 3ull, 4096ull, 5000ull}) {
    curandGenerator_t g;
    curandCreateGenerator(&g, CURAND_RNG_PSEUDO_PHILOX4_32_10);
    curandSetPseudoRandomGeneratorSeed(g, offset ? 77ull : 1234ull), curandSetGeneratorOffset(g, offset);
    int s = curandGenerate(g, u, n);
    printf("type 161 offset %llu ", offset), show("uint", s, u, n);
    if (!offset) s = curandGenerate(g, u, 1000), show("uint again", s, u, 1000);
    s = curandGenerateUniform(g, f, offset ? 1001 : n), show("uniform", s, f, offset ? 1001 : n);
    curandDestroyGenerator(g);
  }
  for (int kind = 0; kind < 4; kind++) { curandGenerator_t g; curandCreateGenerator(&g, (curandRngType_t)100); curandSetGeneratorOrdering(g, (curandOrdering_t)103); curandSetPseudoRandomGeneratorSeed(g, 42ull);
      if (kind == 0) { int s = curandGenerateNormal(g, f, n, 0, 1); show("fresh normal", s, f, n); }
      if (kind == 1) { int s = curandGenerateNormalDouble(g, d, n, 0, 1); show("fresh normal double", s, d, n); }
      if (kind == 2) { int s = curandGenerateUniformDouble(g, d, n); show("fresh uniform double", s, d, n); }
      if (kind == 3) { int s = curandGenerateUniform(g, f, n); show("fresh uniform", s, f, n); } }
}
