// Sobol's numbers of cuRAND's host interface. recorded/sobol.txt has what cuRAND on a real GPU prints.
#include "drawn.h"
auto words = [](auto g, auto *to, size_t n) { return curandGenerate(g, to, n); };
int main() {
  curandGenerator_t g, host;
  curandCreateGenerator(&g, CURAND_RNG_QUASI_SOBOL32);
  for (unsigned int dimensions : {1, 2, 3, 100, 481}) {
    printf("dimensions %d\n", curandSetQuasiRandomGeneratorDimensions(g, dimensions));
    line<unsigned int>("words", g, 300 * dimensions, dimensions == 481 ? 197 : 29 * dimensions, words);
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
  for (size_t n : {300, 3000, 6, 4, 3}) line<unsigned int>("then", g, n, n < 10 ? 1 : 11, words);
  printf("dimensions %d %d\n", curandSetQuasiRandomGeneratorDimensions(g, 20001), curandSetQuasiRandomGeneratorDimensions(g, 0));
  curandCreateGeneratorHost(&host, CURAND_RNG_QUASI_SOBOL32);
  curandSetQuasiRandomGeneratorDimensions(host, 2);
  float normal[10];
  printf("normal %d", curandGenerateNormal(host, normal, 10, 0, 1));
  for (float x : normal) {
    unsigned int w;
    memcpy(&w, &x, sizeof w);
    printf(" %x", w);
  }
  printf("\nodd %d\n", curandGenerateNormal(host, normal, 7, 0, 1));
}
