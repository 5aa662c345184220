// MT19937 of cuRAND's host interface. recorded/mersenne.txt has what cuRAND on a real GPU prints.
#include <curand.h>
#include <cstdio>
#include <cstring>
#include <vector>
unsigned int hash(const unsigned int *w, size_t n) {
  unsigned int h = 2166136261u;
  for (size_t i = 0; i < n; i++) h = (h ^ w[i]) * 16777619u;
  return h;
}
curandGenerator_t start(unsigned long long seed) {
  curandGenerator_t g;
  curandCreateGenerator(&g, CURAND_RNG_PSEUDO_MT19937);
  if (seed) curandSetPseudoRandomGeneratorSeed(g, seed);
  return g;
}
std::vector<unsigned int> words(curandGenerator_t g, size_t n) {
  unsigned int *d;
  std::vector<unsigned int> h(n);
  cudaMalloc(&d, n * 4);
  curandGenerate(g, d, n);
  cudaMemcpy(h.data(), d, n * 4, cudaMemcpyDeviceToHost);
  cudaFree(d);
  return h;
}
// Numbers of a generator on the host: those of one on the device.
template <typename T, typename Call> void line(const char *name, Call call) {
  const size_t n = 2000;
  std::vector<T> h(n);
  curandGenerator_t g;
  curandCreateGeneratorHost(&g, CURAND_RNG_PSEUDO_MT19937);
  curandSetPseudoRandomGeneratorSeed(g, 77);
  printf("%s", name);
  int status = call(g, h.data(), n);
  printf(" %d", status);
  for (size_t i = 0; i < n; i += 49) {
    unsigned long long w = 0;
    memcpy(&w, &h[i], sizeof(T));
    printf(" %llx", w);
  }
  puts("");
  curandDestroyGenerator(g);
}
int main() {
  for (unsigned long long seed : {0ull, 1ull, 0x123456789abcdefull}) {
    curandGenerator_t g = start(seed);
    printf("seed %llx: %08x\n", seed, hash(words(g, 2000).data(), 2000));
    curandDestroyGenerator(g);
  }
  curandGenerator_t parts = start(1234);
  for (size_t n : {1000, 7, 100000, 300, 8192, 50000}) printf("then %zu: %08x\n", n, hash(words(parts, n).data(), n));
  const size_t made = 159499, upto = 5200000; // a round has 5,111,808 numbers
  std::vector<unsigned int> rest = words(parts, upto - made);
  for (size_t at = 40 * 4096; at + 4096 <= upto; at += 4096 * (at < 1240 * 4096 ? 40 : 1)) printf("from %zu: %08x\n", at, hash(&rest[at - made], 4096));
  printf("offset: %d\n", curandSetGeneratorOffset(parts, 5));
  line<unsigned int>("words", [](auto g, auto *to, size_t n) { return curandGenerate(g, to, n); });
  line<float>("uniform", [](auto g, auto *to, size_t n) { return curandGenerateUniform(g, to, n); });
  line<double>("uniform-double", [](auto g, auto *to, size_t n) { return curandGenerateUniformDouble(g, to, n); });
  line<float>("normal", [](auto g, auto *to, size_t n) { return curandGenerateNormal(g, to, n, 0, 1); });
  line<double>("normal-double", [](auto g, auto *to, size_t n) { return curandGenerateNormalDouble(g, to, n, 0, 1); });
  line<float>("log-normal", [](auto g, auto *to, size_t n) { return curandGenerateLogNormal(g, to, n, 0, 1); });
  curandGenerator_t odd;
  float normal[7];
  curandCreateGeneratorHost(&odd, CURAND_RNG_PSEUDO_MT19937);
  printf("normal-odd %d", curandGenerateNormal(odd, normal, 7, 0, 1));
  for (float x : normal) {
    unsigned int w;
    memcpy(&w, &x, sizeof w);
    printf(" %x", w);
  }
  puts("");
}
