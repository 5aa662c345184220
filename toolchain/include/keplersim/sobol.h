// cuRAND's quasi-random numbers on the device: Sobol's points in one dimension, of 32 or 64 bits, from the direction vectors of that dimension. Scrambled
// ones begin at a constant of the caller's.
#pragma once

template <typename Word, bool SCRAMBLED> struct __ks_sobol {
  Word i, x, c, direction_vectors[8 * sizeof(Word)]; // point x is the i-th, and c the first
};
typedef __ks_sobol<unsigned int, false> curandStateSobol32, curandStateSobol32_t;
typedef __ks_sobol<unsigned long long, false> curandStateSobol64, curandStateSobol64_t;
typedef __ks_sobol<unsigned int, true> curandStateScrambledSobol32, curandStateScrambledSobol32_t;
typedef __ks_sobol<unsigned long long, true> curandStateScrambledSobol64, curandStateScrambledSobol64_t;

// The vectors that the Gray code of i names.
template <typename Word> __KS_BOTH_FN Word __ks_sobol_point(const Word *vectors, Word i) {
  Word point = 0;
  for (Word gray = i ^ i >> 1; gray; gray &= gray - 1) point ^= vectors[__ffsll(gray) - 1];
  return point;
}
template <typename Word, bool SCRAMBLED> __device__ __forceinline__ void skipahead(unsigned long long n, __ks_sobol<Word, SCRAMBLED> *s) {
  s->i += (Word)n, s->x = s->c ^ __ks_sobol_point(s->direction_vectors, s->i);
}
template <typename Word, bool SCRAMBLED>
__device__ __forceinline__ void curand_init(const Word *vectors, unsigned long long scramble, unsigned long long offset, __ks_sobol<Word, SCRAMBLED> *s) {
  for (int k = 0; k < 8 * sizeof(Word); k++) s->direction_vectors[k] = vectors[k];
  s->i = 0, s->c = (Word)scramble;
  skipahead(offset, s);
}
template <typename Word> __device__ __forceinline__ void curand_init(const Word *vectors, unsigned long long offset, __ks_sobol<Word, false> *s) {
  curand_init(vectors, 0, offset, s);
}
template <typename Word, bool SCRAMBLED> __device__ __forceinline__ Word curand(__ks_sobol<Word, SCRAMBLED> *s) {
  Word point = s->x;
  s->x ^= s->direction_vectors[(__ffsll(~s->i) - 1) % (8 * sizeof(Word))], s->i++;
  return point;
}

// Over 0 to 1. In doubles of 32 bits the smallest is as far from 0 as the others from each other.
template <typename Word> __KS_BOTH_FN double __ks_sobol_middle(Word w) { return sizeof w == 4 ? w * 0x1p-32 + 0x1p-33 : (w >> 11) * 0x1p-53 + 0x1p-54; }
template <typename Word> __KS_BOTH_FN float __ks_sobol_float(Word w) { return (float)__ks_sobol_middle((unsigned int)(w >> (8 * sizeof w - 32))); }
template <typename Word> __KS_BOTH_FN double __ks_sobol_double(Word w) { return sizeof w == 4 ? w * 0x1p-32 + 0x1p-32 : __ks_sobol_middle(w); }
// Normal numbers by the inverse of their distribution, in whose upper half the distance from 1 counts.
template <typename Word> __KS_BOTH_FN float __ks_sobol_normal(Word w) {
  return w > (Word)1 << (8 * sizeof w - 1) ? -normcdfinvf(__ks_sobol_float(~w)) : normcdfinvf(__ks_sobol_float(w));
}
template <typename Word> __KS_BOTH_FN double __ks_sobol_normal_double(Word w) {
  return w > (Word)1 << (8 * sizeof w - 1) ? -normcdfinv(__ks_sobol_middle(~w)) : normcdfinv(__ks_sobol_middle(w));
}
#define __KS_SOBOL template <typename Word, bool SCRAMBLED> __device__ __forceinline__
__KS_SOBOL float curand_uniform(__ks_sobol<Word, SCRAMBLED> *s) { return __ks_sobol_float(curand(s)); }
__KS_SOBOL double curand_uniform_double(__ks_sobol<Word, SCRAMBLED> *s) { return __ks_sobol_double(curand(s)); }
__KS_SOBOL float curand_normal(__ks_sobol<Word, SCRAMBLED> *s) { return __ks_sobol_normal(curand(s)); }
__KS_SOBOL double curand_normal_double(__ks_sobol<Word, SCRAMBLED> *s) { return __ks_sobol_normal_double(curand(s)); }
__KS_SOBOL unsigned int curand_poisson(__ks_sobol<Word, SCRAMBLED> *s, double mean) { return __ks_poisson_quantile(__ks_sobol_middle(curand(s)), mean); }
#undef __KS_SOBOL
