// cuRAND's host interface on the simulated device, with the generators of curand_kernel.h. XORWOW and MRG32k3a: 4,096 subsequences take turns, so number
// n of a generator is number n / 4096 of subsequence n % 4096 (cuRAND's documentation, "Pseudorandom sequence ordering", legacy). The other sequences are as
// recorded from a GPU. Numbers for the host are those for the device, copied.
#include <curand.h>
#include <curand_kernel.h>
#include <stdlib.h>

namespace {

const unsigned int SEQUENCES = 4096;
enum Kind { WORD, UNIFORM, UNIFORM_DOUBLE, NORMAL, NORMAL_DOUBLE, LOG_NORMAL, LOG_NORMAL_DOUBLE, POISSON };

template <typename State> __global__ void begin(State *states, unsigned long long seed, unsigned long long offset) {
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  curand_init(seed, i, offset / SEQUENCES + (i < offset % SEQUENCES), &states[i]);
}

// The subsequence whose turn it is when `done` numbers have been made takes element 0, the next one element 1 and so on. Pairs of numbers lie beside
// each other.
template <Kind KIND, typename State, typename T> __global__ void generate(State *states, unsigned int done, T *to, size_t n, double a, double b) {
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x, first = (i - done) % SEQUENCES;
  State s = states[i];
  const bool pairs = KIND == NORMAL || KIND == NORMAL_DOUBLE || KIND == LOG_NORMAL || KIND == LOG_NORMAL_DOUBLE;
  for (size_t e = first; e < (pairs ? n / 2 : n); e += SEQUENCES) {
    if constexpr (KIND == WORD) to[e] = curand(&s);
    if constexpr (KIND == UNIFORM) to[e] = curand_uniform(&s);
    if constexpr (KIND == UNIFORM_DOUBLE) to[e] = curand_uniform_double(&s);
    if constexpr (KIND == NORMAL || KIND == LOG_NORMAL) {
      float2 v = curand_normal2(&s);
      v.x = (float)a + (float)b * v.x, v.y = (float)a + (float)b * v.y;
      if (KIND == LOG_NORMAL) v.x = expf(v.x), v.y = expf(v.y);
      to[2 * e] = v.x, to[2 * e + 1] = v.y;
    }
    if constexpr (KIND == NORMAL_DOUBLE || KIND == LOG_NORMAL_DOUBLE) {
      double2 v = curand_normal2_double(&s);
      v.x = a + b * v.x, v.y = a + b * v.y;
      if (KIND == LOG_NORMAL_DOUBLE) v.x = exp(v.x), v.y = exp(v.y);
      to[2 * e] = v.x, to[2 * e + 1] = v.y;
    }
  }
  states[i] = s;
}

// Philox keeps no state: number `first` and those behind it by their places. 65,536 subsequences take turns, with four numbers each, for which a
// subsequence goes on by four words, or eight where numbers are doubles; `quads` fours of words are past before the first turn.
const unsigned int TURN = 4 * 65536;
template <Kind KIND, typename T>
__global__ void generate_philox(unsigned long long seed, unsigned long long quads, unsigned long long first, T *to, size_t n, double a, double b) {
  size_t e = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= n) return;
  unsigned long long place = first + e, word = 4 * quads + place / TURN * sizeof(T);
  unsigned int lane = place % 4;
  const bool even = KIND == NORMAL || KIND == LOG_NORMAL || KIND == NORMAL_DOUBLE || KIND == LOG_NORMAL_DOUBLE; // a pair begins at an even lane
  curandStatePhilox4_32_10_t s;
  curand_init(seed, place % TURN / 4, word + (even ? lane & 2 : lane) * sizeof(T) / 4, &s);
  if constexpr (KIND == WORD) to[e] = curand(&s);
  if constexpr (KIND == UNIFORM) to[e] = curand_uniform(&s);
  if constexpr (KIND == UNIFORM_DOUBLE) to[e] = curand_uniform_double(&s);
  if constexpr (KIND == NORMAL || KIND == LOG_NORMAL) {
    float2 pair = curand_normal2(&s);
    float x = (float)a + (float)b * (lane & 1 ? pair.y : pair.x);
    to[e] = KIND == NORMAL ? x : expf(x);
  }
  if constexpr (KIND == NORMAL_DOUBLE || KIND == LOG_NORMAL_DOUBLE) {
    double2 pair = curand_normal2_double(&s);
    double x = a + b * (lane & 1 ? pair.y : pair.x);
    to[e] = KIND == NORMAL_DOUBLE ? x : exp(x);
  }
}

// The number that one word of MT19937 or of Sobol's makes: normal ones by the inverse of their distribution.
template <Kind KIND, typename T, typename Word> __device__ T by_inverse(Word word, double a, double b) {
  if constexpr (KIND == WORD) return word;
  if constexpr (KIND == UNIFORM) return __ks_sobol_float(word);
  if constexpr (KIND == UNIFORM_DOUBLE) return __ks_sobol_middle(word);
  if constexpr (KIND == NORMAL) return (float)a + (float)b * __ks_sobol_normal(word);
  if constexpr (KIND == NORMAL_DOUBLE) return a + b * __ks_sobol_normal_double(word);
  if constexpr (KIND == LOG_NORMAL) return expf((float)a + (float)b * __ks_sobol_normal(word));
  if constexpr (KIND == LOG_NORMAL_DOUBLE) return exp(a + b * __ks_sobol_normal_double(word));
}

} // namespace

#include "mersenne.cuh"
#include "sobol.cuh"

struct curandGenerator_st {
  void *states; // of all but Philox
  curandRngType_t type;
  bool host;            // numbers go to the host's memory
  unsigned int *latest; // of MT19937: words 0 to 623 of the last generator that is set up, and how many are
  unsigned int ready, dimensions; // dimensions of Sobol's, 0 for pseudo-random numbers
  cudaStream_t stream;
  unsigned long long seed, offset, made, quads; // quads: of Philox
  bool begun;
};

namespace {

template <Kind KIND, typename State, typename T> void run_turns(curandGenerator_t g, T *to, size_t n, double a, double b) {
  State *states = (State *)g->states;
  if (!g->begun) begin<<<SEQUENCES / 64, 64, 0, g->stream>>>(states, g->seed, g->offset), g->begun = true, g->made = g->offset;
  generate<KIND><<<SEQUENCES / 64, 64, 0, g->stream>>>(states, (unsigned int)(g->made % SEQUENCES), to, n, a, b);
}
template <Kind KIND, typename T> void run_philox(curandGenerator_t g, T *to, size_t n, double a, double b) {
  if (!g->begun) g->begun = true, g->quads = g->offset / TURN, g->made = g->offset % TURN;
  if (n) generate_philox<KIND><<<(unsigned int)((n + 127) / 128), 128, 0, g->stream>>>(g->seed, g->quads, g->made, to, n, a, b);
  g->made += n;
  g->quads += g->made / TURN * sizeof(T) / 4, g->made %= TURN;
}

// Sets up as many of MT19937's generators as are asked for: all of them take seconds of the host.
void set_up(curandGenerator_t g, unsigned int generators) {
  unsigned int *states = (unsigned int *)g->states, first = g->ready;
  if (first >= generators) return;
  unsigned int *words = (unsigned int *)malloc((generators - first) * mersenne::WORDS * sizeof *words);
  for (; g->ready < generators; g->ready++) {
    if (g->ready == 0) mersenne::seed(g->latest, (unsigned int)g->seed);
    else mersenne::jump(g->latest);
    memcpy(words + (g->ready - first) * mersenne::WORDS, g->latest, mersenne::WORDS * sizeof *words);
  }
  cudaMemcpyAsync(states + first * mersenne::WORDS, words, (generators - first) * mersenne::WORDS * sizeof *words, cudaMemcpyHostToDevice, g->stream);
  cudaStreamSynchronize(g->stream);
  mersenne::renew<<<generators - first, 256, 0, g->stream>>>(states + first * mersenne::WORDS);
  free(words);
}
template <Kind KIND, typename T> void run_mersenne(curandGenerator_t g, T *to, size_t n, double a, double b) {
  const size_t round = mersenne::GENERATORS * mersenne::WORDS;
  unsigned int *states = (unsigned int *)g->states;
  if (!g->begun) g->begun = true, g->made = g->ready = 0;
  for (size_t at = 0; at < n;) {
    size_t first = (g->made + at) % round, part = n - at < round - first ? n - at : round - first;
    set_up(g, first + part < mersenne::SLICE ? (unsigned int)(first + part + 7) / 8 : mersenne::GENERATORS);
    if (first == 0 && g->made + at > 0) mersenne::renew<<<mersenne::GENERATORS, 256, 0, g->stream>>>(states);
    unsigned int blocks = (unsigned int)((part + 255) / 256);
    mersenne::generate<KIND><<<blocks, 256, 0, g->stream>>>(states, (unsigned int)first, to + at, (unsigned int)part, a, b);
    at += part;
  }
}
template <Kind KIND, typename Word, typename T> void run_sobol(curandGenerator_t g, T *to, size_t n, double a, double b) {
  Word *vectors = (Word *)g->states;
  if (!g->begun) {
    cudaMemcpy(vectors, sobol::all_directions<Word>(), g->dimensions * 8 * sizeof(Word) * sizeof(Word), cudaMemcpyHostToDevice);
    g->begun = true, g->made = g->offset;
  }
  unsigned int blocks = (unsigned int)((n + 127) / 128);
  if (n) sobol::generate<KIND><<<blocks, 128, 0, g->stream>>>(vectors, g->made, to, n / g->dimensions, n, a, b);
}
template <Kind KIND, typename T> curandStatus_t run_on_device(curandGenerator_t g, T *to, size_t n, double a, double b) {
  size_t steps = KIND == WORD || KIND == UNIFORM || KIND == UNIFORM_DOUBLE ? n : n / 2;
  switch (g->type) {
  case CURAND_RNG_PSEUDO_PHILOX4_32_10: run_philox<KIND>(g, to, n, a, b), steps = 0; break;
  case CURAND_RNG_PSEUDO_MT19937: run_mersenne<KIND>(g, to, n, a, b), steps = n; break;
  case CURAND_RNG_QUASI_DEFAULT:
  case CURAND_RNG_QUASI_SOBOL32: run_sobol<KIND, unsigned int>(g, to, n, a, b), steps = n / g->dimensions; break;
  case CURAND_RNG_QUASI_SOBOL64: run_sobol<KIND, unsigned long long>(g, to, n, a, b), steps = n / g->dimensions; break;
  case CURAND_RNG_PSEUDO_MRG32K3A: run_turns<KIND, curandStateMRG32k3a>(g, to, n, a, b); break;
  default: run_turns<KIND, curandState>(g, to, n, a, b);
  }
  g->made += steps;
  return cudaPeekAtLastError() == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
}
// A generator of the host gives the numbers of one of the device.
template <Kind KIND, typename T> curandStatus_t run(curandGenerator_t g, T *to, size_t n, double a = 0, double b = 1) {
  if (!g) return CURAND_STATUS_NOT_INITIALIZED;
  const bool pairs = KIND != WORD && KIND != UNIFORM && KIND != UNIFORM_DOUBLE && g->type != CURAND_RNG_PSEUDO_MT19937 &&
                     g->type != CURAND_RNG_PSEUDO_PHILOX4_32_10;
  if (n % (g->dimensions ? g->dimensions : pairs ? 2 : 1)) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  if (!g->host) return run_on_device<KIND>(g, to, n, a, b);
  T *there;
  if (cudaMalloc(&there, n * sizeof *to) != cudaSuccess) return CURAND_STATUS_ALLOCATION_FAILED;
  curandStatus_t status = run_on_device<KIND>(g, there, n, a, b);
  if (status == CURAND_STATUS_SUCCESS) cudaMemcpyAsync(to, there, n * sizeof *to, cudaMemcpyDeviceToHost, g->stream), cudaStreamSynchronize(g->stream);
  cudaFree(there);
  return status;
}

// Changes a setting, after which the sequence begins anew.
template <typename T> curandStatus_t change(curandGenerator_t g, T curandGenerator_st::*setting, T value) {
  if (!g) return CURAND_STATUS_NOT_INITIALIZED;
  g->*setting = value, g->begun = false;
  return CURAND_STATUS_SUCCESS;
}

} // namespace

extern "C" {

curandStatus_t curandCreateGenerator(curandGenerator_t *generator, curandRngType_t type) {
  curandGenerator_st made = {};
  made.type = type;
  size_t states = 0;
  switch (type) {
  case CURAND_RNG_PSEUDO_DEFAULT:
  case CURAND_RNG_PSEUDO_XORWOW: states = SEQUENCES * sizeof(curandState); break;
  case CURAND_RNG_PSEUDO_MRG32K3A: states = SEQUENCES * sizeof(curandStateMRG32k3a); break;
  case CURAND_RNG_PSEUDO_MT19937: states = mersenne::GENERATORS * mersenne::WORDS * sizeof *made.latest; break;
  case CURAND_RNG_QUASI_DEFAULT:
  case CURAND_RNG_QUASI_SOBOL32:
  case CURAND_RNG_QUASI_SOBOL64: states = sobol::DIMENSIONS * 64 * sizeof(unsigned long long), made.dimensions = 1; break;
  case CURAND_RNG_PSEUDO_PHILOX4_32_10: break;
  default: return CURAND_STATUS_TYPE_ERROR; // others are not there
  }
  if (states && cudaMalloc(&made.states, states) != cudaSuccess) return CURAND_STATUS_ALLOCATION_FAILED;
  made.latest = (unsigned int *)malloc(mersenne::WORDS * sizeof *made.latest);
  *generator = (curandGenerator_t)malloc(sizeof made);
  **generator = made;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandCreateGeneratorHost(curandGenerator_t *generator, curandRngType_t type) {
  curandStatus_t status = curandCreateGenerator(generator, type);
  if (status == CURAND_STATUS_SUCCESS) (*generator)->host = true;
  return status;
}
curandStatus_t curandDestroyGenerator(curandGenerator_t g) {
  if (!g) return CURAND_STATUS_NOT_INITIALIZED;
  cudaFree(g->states), free(g->latest), free(g);
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGetVersion(int *version) {
  *version = CURAND_VERSION;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t g, unsigned long long seed) {
  return g && g->dimensions ? CURAND_STATUS_TYPE_ERROR : change(g, &curandGenerator_st::seed, seed);
}
curandStatus_t curandSetGeneratorOffset(curandGenerator_t g, unsigned long long offset) {
  return g && g->type == CURAND_RNG_PSEUDO_MT19937 ? CURAND_STATUS_TYPE_ERROR : change(g, &curandGenerator_st::offset, offset);
}
curandStatus_t curandSetStream(curandGenerator_t g, cudaStream_t stream) {
  if (!g) return CURAND_STATUS_NOT_INITIALIZED;
  g->stream = stream;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetGeneratorOrdering(curandGenerator_t g, curandOrdering_t ordering) {
  if (!g) return CURAND_STATUS_NOT_INITIALIZED;
  if (g->dimensions) return ordering == CURAND_ORDERING_QUASI_DEFAULT ? CURAND_STATUS_SUCCESS : CURAND_STATUS_OUT_OF_RANGE;
  bool same = ordering == CURAND_ORDERING_PSEUDO_BEST || ordering == CURAND_ORDERING_PSEUDO_DEFAULT || ordering == CURAND_ORDERING_PSEUDO_LEGACY;
  return same ? CURAND_STATUS_SUCCESS : CURAND_STATUS_OUT_OF_RANGE;
}
curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t g, unsigned int dimensions) {
  if (g && !g->dimensions) return CURAND_STATUS_TYPE_ERROR;
  if (dimensions == 0 || dimensions > 20000) return CURAND_STATUS_OUT_OF_RANGE;
  if (g && g->type == CURAND_RNG_QUASI_SOBOL64 && g->begun) g->offset = g->made; // it goes on where it was, and Sobol32 begins anew
  return dimensions > sobol::DIMENSIONS ? CURAND_STATUS_TYPE_ERROR : change(g, &curandGenerator_st::dimensions, dimensions); // higher ones are not there
}
curandStatus_t curandGenerateSeeds(curandGenerator_t g) { return g ? CURAND_STATUS_SUCCESS : CURAND_STATUS_NOT_INITIALIZED; }
curandStatus_t curandGetDirectionVectors32(curandDirectionVectors32_t **vectors, curandDirectionVectorSet_t set) {
  *vectors = sobol::all_directions<unsigned int>();
  return set == CURAND_DIRECTION_VECTORS_32_JOEKUO6 ? CURAND_STATUS_SUCCESS : CURAND_STATUS_OUT_OF_RANGE;
}
curandStatus_t curandGetDirectionVectors64(curandDirectionVectors64_t **vectors, curandDirectionVectorSet_t set) {
  *vectors = sobol::all_directions<unsigned long long>();
  return set == CURAND_DIRECTION_VECTORS_64_JOEKUO6 ? CURAND_STATUS_SUCCESS : CURAND_STATUS_OUT_OF_RANGE;
}
curandStatus_t curandGenerateLongLong(curandGenerator_t g, unsigned long long *to, size_t n) {
  return g && g->type != CURAND_RNG_QUASI_SOBOL64 ? CURAND_STATUS_TYPE_ERROR : run<WORD>(g, to, n);
}
curandStatus_t curandGenerate(curandGenerator_t g, unsigned int *to, size_t n) {
  return g && g->type == CURAND_RNG_QUASI_SOBOL64 ? CURAND_STATUS_TYPE_ERROR : run<WORD>(g, to, n);
}
curandStatus_t curandGenerateUniform(curandGenerator_t g, float *to, size_t n) { return run<UNIFORM>(g, to, n); }
curandStatus_t curandGenerateUniformDouble(curandGenerator_t g, double *to, size_t n) { return run<UNIFORM_DOUBLE>(g, to, n); }
curandStatus_t curandGenerateNormal(curandGenerator_t g, float *to, size_t n, float mean, float deviation) { return run<NORMAL>(g, to, n, mean, deviation); }
curandStatus_t curandGenerateNormalDouble(curandGenerator_t g, double *to, size_t n, double mean, double deviation) {
  return run<NORMAL_DOUBLE>(g, to, n, mean, deviation);
}
curandStatus_t curandGenerateLogNormal(curandGenerator_t g, float *to, size_t n, float mean, float deviation) {
  return run<LOG_NORMAL>(g, to, n, mean, deviation);
}
curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t g, double *to, size_t n, double mean, double deviation) {
  return run<LOG_NORMAL_DOUBLE>(g, to, n, mean, deviation);
}
curandStatus_t curandGeneratePoisson(curandGenerator_t, unsigned int *, size_t, double) { return CURAND_STATUS_TYPE_ERROR; } // not there

} // extern "C"
