// Sobol's numbers of cuRAND's host interface. recorded/sobol.txt has what cuRAND on a real GPU prints.
#include "sobol_draws.h"
auto words = [](auto g, auto *to, size_t n) { return curandGenerate(g, to, n); };
int main() {
  curandGenerator_t g, host;
  curandCreateGenerator(&g, CURAND_RNG_QUASI_SOBOL32);
  sobol_draws<unsigned int>("words", g, words);
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
