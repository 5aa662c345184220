// What helper_cuda.h and its relatives give to programs in the style of NVIDIA's samples, for whole programs whose authors left those headers
// to an installed toolkit: errors that end the program, command lines, timers, files and images.
#pragma once
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/time.h>
#include <unistd.h>
#include <string>
#include <vector>

inline const char *_cudaGetErrorEnum(cudaError_t error) { return cudaGetErrorName(error); }
#ifdef __cuda_cuda_h__
inline const char *_cudaGetErrorEnum(CUresult error) {
  const char *name = nullptr;
  cuGetErrorName(error, &name);
  return name ? name : "unknown";
}
#endif
template <typename _T> void check(_T error, const char *call, const char *file, int line) {
  if (!error) return;
  fprintf(stderr, "CUDA error at %s:%d code=%d(%s) \"%s\"\n", file, line, (int)error, _cudaGetErrorEnum(error), call);
  exit(EXIT_FAILURE);
}
inline void __getLastCudaError(const char *message, const char *file, int line, bool end = true) {
  cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s(%d): CUDA error: %s: (%d) %s\n", file, line, message, (int)error, cudaGetErrorString(error));
  if (end) exit(EXIT_FAILURE);
}
#define checkCudaErrors(call) check((call), #call, __FILE__, __LINE__)
#define getLastCudaError(message) __getLastCudaError(message, __FILE__, __LINE__)
#define printLastCudaError(message) __getLastCudaError(message, __FILE__, __LINE__, false)
inline int ftoi(float v) { return (int)(v >= 0 ? v + 0.5f : v - 0.5f); }

// Cores of a multiprocessor: 192 of every Kepler.
inline int _ConvertSMVer2Cores(int, int) { return 192; }
inline const char *_ConvertSMVer2ArchName(int, int) { return "Kepler"; }

// Command lines: -flag, --flag and -flag=value.
inline const char *__ks_flag(int count, const char **arguments, const char *flag) {
  for (int i = 1; i < count; i++) {
    const char *text = arguments[i];
    while (*text == '-') text++;
    size_t n = strcspn(text, "=");
    if (n == strlen(flag) && strncasecmp(text, flag, n) == 0) return text[n] ? text + n + 1 : text + n;
  }
  return nullptr;
}
inline bool checkCmdLineFlag(const int count, const char **arguments, const char *flag) { return __ks_flag(count, arguments, flag); }
inline int getCmdLineArgumentInt(const int count, const char **arguments, const char *flag) {
  const char *value = __ks_flag(count, arguments, flag);
  return value ? atoi(value) : 0;
}
inline float getCmdLineArgumentFloat(const int count, const char **arguments, const char *flag) {
  const char *value = __ks_flag(count, arguments, flag);
  return value ? (float)atof(value) : 0;
}
inline bool getCmdLineArgumentString(const int count, const char **arguments, const char *flag, char **text) {
  const char *value = __ks_flag(count, arguments, flag);
  *text = (char *)value;
  return value;
}

inline int gpuDeviceInit(int device) {
  int count = 0;
  checkCudaErrors(cudaGetDeviceCount(&count));
  if (device < 0) device = 0;
  if (device >= count) return -device;
  checkCudaErrors(cudaSetDevice(device));
  return device;
}
inline int gpuGetMaxGflopsDeviceId() {
  int count = 0, best = 0;
  double most = -1;
  checkCudaErrors(cudaGetDeviceCount(&count));
  for (int i = 0; i < count; i++) {
    cudaDeviceProp p;
    checkCudaErrors(cudaGetDeviceProperties(&p, i));
    double rate = (double)p.multiProcessorCount * p.clockRate;
    if (rate > most) most = rate, best = i;
  }
  return best;
}
inline int findCudaDevice(int count, const char **arguments) {
  bool asked = checkCmdLineFlag(count, arguments, "device");
  int device = gpuDeviceInit(asked ? getCmdLineArgumentInt(count, arguments, "device") : gpuGetMaxGflopsDeviceId());
  if (device < 0) exit(EXIT_FAILURE);
  cudaDeviceProp p;
  checkCudaErrors(cudaGetDeviceProperties(&p, device));
  printf("GPU Device %d: \"%s\" with compute capability %d.%d\n\n", device, p.name, p.major, p.minor);
  return device;
}
inline bool checkCudaCapabilities(int major, int minor) {
  int device = 0;
  cudaDeviceProp p;
  checkCudaErrors(cudaGetDevice(&device));
  checkCudaErrors(cudaGetDeviceProperties(&p, device));
  return p.major > major || (p.major == major && p.minor >= minor);
}

// Timers of the host's clock, in milliseconds.
struct StopWatchInterface {
  bool running;
  int runs;
  double total, start;
};
inline double __ks_milliseconds() {
  timeval t;
  gettimeofday(&t, nullptr);
  return 1e3 * (double)t.tv_sec + 1e-3 * (double)t.tv_usec;
}
inline bool sdkCreateTimer(StopWatchInterface **t) { return *t = new StopWatchInterface(); }
inline bool sdkDeleteTimer(StopWatchInterface **t) { return delete *t, *t = nullptr, true; }
inline bool sdkStartTimer(StopWatchInterface **t) { return (*t)->running = true, (*t)->start = __ks_milliseconds(), true; }
inline bool sdkStopTimer(StopWatchInterface **t) {
  return (*t)->total += __ks_milliseconds() - (*t)->start, (*t)->running = false, (*t)->runs++, true;
}
inline bool sdkResetTimer(StopWatchInterface **t) { return (*t)->total = 0, (*t)->runs = 0, (*t)->start = __ks_milliseconds(), true; }
inline float sdkGetTimerValue(StopWatchInterface **t) { return (float)((*t)->total + ((*t)->running ? __ks_milliseconds() - (*t)->start : 0)); }
inline float sdkGetAverageTimerValue(StopWatchInterface **t) { return (*t)->runs ? (float)((*t)->total / (*t)->runs) : 0; }

// Files, looked for where the samples keep them: beside the program, and in data folders up to the root of the samples.
inline char *sdkFindFilePath(const char *file, const char *program) {
  std::string beside;
  if (program && strrchr(program, '/')) beside.assign(program, strrchr(program, '/') + 1);
  for (const std::string &from : {std::string(), beside})
    for (const char *up : {"", "../", "../../", "../../../", "../../../../"})
      for (const char *in : {"", "data/", "common/data/"}) {
        std::string path = from + up + in + file;
        if (access(path.c_str(), R_OK) == 0) return strdup(path.c_str());
      }
  return nullptr;
}
template <typename _T> bool sdkReadFile(const char *file, _T **data, unsigned int *n, bool) {
  FILE *f = fopen(file, "r");
  if (!f) return false;
  std::vector<_T> all;
  for (double v; fscanf(f, "%lf", &v) == 1;) all.push_back((_T)v);
  fclose(f);
  if (!*data) *data = (_T *)malloc(sizeof(_T) * (all.size() + 1)), *n = (unsigned)all.size();
  for (unsigned i = 0; i < *n && i < all.size(); i++) (*data)[i] = all[i];
  return true;
}
template <typename _T, typename _S> bool sdkWriteFile(const char *file, const _T *data, unsigned int n, const _S epsilon, bool, bool append = false) {
  FILE *f = fopen(file, append ? "a" : "w");
  if (!f) return false;
  fprintf(f, "# %g\n", (double)epsilon);
  for (unsigned i = 0; i < n; i++) fprintf(f, "%.9g ", (double)data[i]);
  fprintf(f, "\n");
  return fclose(f) == 0;
}
template <typename _T, typename _S> bool compareData(const _T *reference, const _T *data, unsigned int n, _S epsilon, float threshold) {
  unsigned wrong = 0;
  for (unsigned i = 0; i < n; i++) wrong += !(fabs((double)reference[i] - (double)data[i]) <= (double)epsilon);
  return threshold == 0 ? wrong == 0 : wrong < threshold * (float)n;
}
template <typename _T> bool sdkCompareL2fe(const _T *reference, const _T *data, unsigned int n, _T epsilon) {
  double error = 0, size = 0;
  for (unsigned i = 0; i < n; i++) {
    double off = (double)reference[i] - (double)data[i];
    error += off * off, size += (double)reference[i] * (double)reference[i];
  }
  return size > 0 && sqrt(error) / sqrt(size) < (double)epsilon;
}

// Images of the formats PGM and PPM, binary, of eight bits; as floats they reach from 0 to 1.
inline unsigned char __ks_pixel(unsigned char v, unsigned char *) { return v; }
inline float __ks_pixel(unsigned char v, float *) { return (float)v / 255.0f; }
inline unsigned char __ks_byte(unsigned char v) { return v; }
inline unsigned char __ks_byte(float v) { return (unsigned char)(255.0f * v); }
inline bool __ks_read_image(const char *file, std::vector<unsigned char> *pixels, unsigned *width, unsigned *height, unsigned *channels) {
  FILE *f = fopen(file, "rb");
  if (!f) return false;
  int kind = fgetc(f) == 'P' ? fgetc(f) : 0;
  unsigned numbers[3] = {};
  for (int i = 0; i < 3; i++) {
    int c = fgetc(f);
    while (isspace(c) || c == '#')
      if (c != '#') c = fgetc(f);
      else
        while (c != '\n' && c != EOF) c = fgetc(f);
    for (; isdigit(c); c = fgetc(f)) numbers[i] = 10 * numbers[i] + (unsigned)(c - '0');
  }
  *width = numbers[0], *height = numbers[1], *channels = kind == '6' ? 3 : 1;
  bool good = (kind == '5' || kind == '6') && numbers[2] == 255 && numbers[0] < 65536 && numbers[1] < 65536;
  if (good) {
    pixels->resize((size_t)*width * *height * *channels);
    good = fread(pixels->data(), 1, pixels->size(), f) == pixels->size();
  }
  fclose(f);
  return good;
}
inline bool __ks_write_image(const char *file, char kind, const std::vector<unsigned char> &pixels, unsigned width, unsigned height) {
  FILE *f = fopen(file, "wb");
  if (!f) return false;
  fprintf(f, "P%c\n%u\n%u\n255\n", kind, width, height);
  bool good = fwrite(pixels.data(), 1, pixels.size(), f) == pixels.size();
  return fclose(f) == 0 && good;
}
template <typename _T> bool sdkLoadPGM(const char *file, _T **data, unsigned int *width, unsigned int *height) {
  std::vector<unsigned char> pixels;
  unsigned channels;
  if (!__ks_read_image(file, &pixels, width, height, &channels) || channels != 1) return false;
  if (!*data) *data = (_T *)malloc(sizeof(_T) * (pixels.size() + 1));
  for (size_t i = 0; i < pixels.size(); i++) (*data)[i] = __ks_pixel(pixels[i], (_T *)nullptr);
  return true;
}
template <typename _T> bool sdkSavePGM(const char *file, _T *data, unsigned int width, unsigned int height) {
  std::vector<unsigned char> pixels((size_t)width * height);
  for (size_t i = 0; i < pixels.size(); i++) pixels[i] = __ks_byte(data[i]);
  return __ks_write_image(file, '5', pixels, width, height);
}
template <typename _T> bool sdkLoadPPM4(const char *file, _T **data, unsigned int *width, unsigned int *height) {
  std::vector<unsigned char> pixels;
  unsigned channels;
  if (!__ks_read_image(file, &pixels, width, height, &channels)) return false;
  size_t n = (size_t)*width * *height;
  if (!*data) *data = (_T *)malloc(sizeof(_T) * (4 * n + 1));
  for (size_t i = 0; i < n; i++)
    for (unsigned c = 0; c < 4; c++) (*data)[4 * i + c] = c == 3 ? _T(0) : __ks_pixel(pixels[i * channels + c % channels], (_T *)nullptr);
  return true;
}
template <typename _T> bool sdkSavePPM4(const char *file, _T *data, unsigned int width, unsigned int height) {
  std::vector<unsigned char> pixels((size_t)width * height * 3);
  for (size_t i = 0; i < pixels.size(); i++) pixels[i] = __ks_byte(data[i / 3 * 4 + i % 3]);
  return __ks_write_image(file, '6', pixels, width, height);
}
inline bool sdkLoadPPM4ub(const char *file, unsigned char **data, unsigned int *width, unsigned int *height) {
  return sdkLoadPPM4(file, data, width, height);
}
inline bool sdkSavePPM4ub(const char *file, unsigned char *data, unsigned int width, unsigned int height) {
  return sdkSavePPM4(file, data, width, height);
}
