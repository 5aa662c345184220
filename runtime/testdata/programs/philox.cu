// Philox's doubles of cuRAND's host interface, and words between them. recorded/philox.txt has what cuRAND on a real GPU prints.
#include "drawn.h"
auto words = [](auto g, auto *to, size_t n) { return curandGenerate(g, to, n); };
auto uniform = [](auto g, auto *to, size_t n) { return curandGenerateUniformDouble(g, to, n); };
auto normal = [](auto g, auto *to, size_t n) { return curandGenerateNormalDouble(g, to, n, 0, 1); };
curandGenerator_t start(unsigned long long offset) {
  curandGenerator_t g;
  curandCreateGenerator(&g, CURAND_RNG_PSEUDO_PHILOX4_32_10);
  curandSetPseudoRandomGeneratorSeed(g, 77);
  if (offset) curandSetGeneratorOffset(g, offset);
  return g;
}
int main() {
  curandGenerator_t g = start(0);
  for (size_t n : {1000, 7, 300000, 6, 100}) line<double>("uniform", g, n, n < 10 ? 1 : n / 10 - 1, uniform); // a turn has 262,144 numbers
  line<unsigned int>("words", g, 100, 7, words);
  line<double>("uniform", g, 100, 7, uniform);
  g = start(0);
  for (size_t n : {1000, 6, 300000, 6, 100, 7}) line<double>("normal", g, n, n < 10 ? 1 : n / 10 - 1, normal);
  line<unsigned int>("words", g, 100, 7, words);
  g = start(0);
  line<unsigned int>("words", g, 10, 1, words);
  line<double>("uniform", g, 100, 7, uniform);
  line<unsigned int>("words", g, 100, 7, words);
  g = start(1003);
  line<double>("uniform", g, 1000, 77, uniform);
}
