// What a generator of Sobol's gives: its words in several dimensions, the numbers made of them, and words behind an offset.
#include "drawn.h"
template <typename Word, typename Call> void sobol_draws(const char *name, curandGenerator_t g, Call words) {
  for (unsigned int dimensions : {1, 2, 3, 100, 481}) {
    printf("dimensions %d\n", curandSetQuasiRandomGeneratorDimensions(g, dimensions));
    line<Word>(name, g, 300 * dimensions, dimensions == 481 ? 197 : 29 * dimensions, words);
  }
  curandSetQuasiRandomGeneratorDimensions(g, 3);
  line<float>("uniform", g, 900, 7, [](auto g, auto *to, size_t n) { return curandGenerateUniform(g, to, n); });
  curandSetGeneratorOffset(g, 0);
  line<double>("uniform-double", g, 900, 7, [](auto g, auto *to, size_t n) { return curandGenerateUniformDouble(g, to, n); });
  curandSetGeneratorOffset(g, 0);
  line<float>("normal", g, 900, 7, [](auto g, auto *to, size_t n) { return curandGenerateNormal(g, to, n, 0, 1); });
  curandSetGeneratorOffset(g, 0);
  line<double>("normal-double", g, 900, 7, [](auto g, auto *to, size_t n) { return curandGenerateNormalDouble(g, to, n, 0, 1); });
  curandSetGeneratorOffset(g, 0);
  line<float>("log-normal", g, 900, 7, [](auto g, auto *to, size_t n) { return curandGenerateLogNormal(g, to, n, 0, 1); });
  curandSetGeneratorOffset(g, 1000);
  for (size_t n : {300, 3000, 6, 4, 3}) line<Word>("then", g, n, n < 10 ? 1 : 11, words);
}
