// Prices of European options by the formula of Black and Scholes: a logarithm, three exponentials, a root, divisions.
//
// For each option a thread reads three numbers and executes more than two hundred instructions, so that memory matters little,
// unlike saxpy's. Most of them are inside logf, expf, sqrtf and the divisions, which are sequences of operations, here exactly
// rounded ones. With --use-fast-math, __expf and __logf, which the special function units answer, less than half remain; but
// their bits differ from one GPU generation to the next. The volatility and the interest rate are the same for all options.

// The normal distribution's integral up to d, by the polynomial 26.2.17 of Abramowitz and Stegun: within 7.5e-8.
__device__ __forceinline__ float normal_integral(float d) {
  float k = 1.0f / fmaf(0.2316419f, fabsf(d), 1.0f);
  float series = fmaf(k, fmaf(k, fmaf(k, fmaf(k, 1.330274429f, -1.821255978f), 1.781477937f), -0.356563782f), 0.31938153f);
  float tail = 0.39894228f * expf(-0.5f * d * d) * (k * series);
  return d > 0.0f ? 1.0f - tail : tail;
}

extern "C" __global__ void black_scholes(const float *price, const float *strike, const float *years, float *call, float *put,
                                         int options, float rate, float volatility) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < options; i += gridDim.x * blockDim.x) {
    float s = price[i], x = strike[i], t = years[i];
    float deviation = volatility * sqrtf(t), drift = fmaf(0.5f * volatility, volatility, rate);
    float d1 = fmaf(drift, t, logf(s / x)) / deviation;
    float n1 = normal_integral(d1), n2 = normal_integral(d1 - deviation);
    float later = x * expf(-rate * t); // what the strike is worth today
    call[i] = fmaf(s, n1, -(later * n2));
    put[i] = fmaf(later, 1.0f - n2, -(s * (1.0f - n1)));
  }
}
