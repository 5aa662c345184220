// The utilities of the CUDA SDK before 5.0, over those that came after: checks, the command line, timers, images.
#pragma once
#include "helper_cuda.h"
#ifdef KEPLERSIM_MACHINE_LIBRARY
#include <map>
#include <math.h>
#include <string.h>

typedef enum CUTBoolean { CUTFalse = 0, CUTTrue = 1 } CUTBoolean;

#define CUDA_SAFE_CALL_NO_SYNC(call) checkCudaErrors(call)
#define CUDA_SAFE_CALL(call) checkCudaErrors(call)
#define CU_SAFE_CALL_NO_SYNC(call) checkCudaErrors(call)
#define CU_SAFE_CALL(call) checkCudaErrors(call)
#define CUT_SAFE_CALL(call)                                                                         \
  do {                                                                                              \
    if (CUTTrue != (call)) {                                                                        \
      fprintf(stderr, "Cut error in file '%s' in line %i.\n", __FILE__, __LINE__);                  \
      exit(EXIT_FAILURE);                                                                           \
    }                                                                                               \
  } while (0)
#define CUT_CHECK_ERROR(message)                                                                    \
  do {                                                                                              \
    getLastCudaError(message);                                                                      \
    checkCudaErrors(cudaDeviceSynchronize());                                                       \
  } while (0)
#define CUT_CONDITION(condition) CUT_SAFE_CALL((condition) ? CUTTrue : CUTFalse)
#define CUT_DEVICE_INIT(argc, argv) findCudaDevice(argc, (const char **)(argv))
#define CUT_EXIT(argc, argv) exit(EXIT_SUCCESS)
#define CUT_BANK_CHECKER(array, index) array[index]
#define cutilSafeCall(call) checkCudaErrors(call)
#define cutilSafeCallNoSync(call) checkCudaErrors(call)
#define cutilSafeThreadSync() checkCudaErrors(cudaDeviceSynchronize())
#define cutilCheckError(call) CUT_SAFE_CALL(call)
#define cutilCheckMsg(message) getLastCudaError(message)
#define cutilCheckMsgAndSync(message) CUT_CHECK_ERROR(message)
#define cutilCondition(condition) CUT_CONDITION(condition)
#define cutilExit(argc, argv) exit(EXIT_SUCCESS)
#define shrEXIT(argc, argv) exit(EXIT_SUCCESS)

inline CUTBoolean cutilDeviceInit(int argc, char **argv) { return findCudaDevice(argc, (const char **)argv) >= 0 ? CUTTrue : CUTFalse; }
inline int cutilChooseCudaDevice(int argc, char **argv) { return findCudaDevice(argc, (const char **)argv); }
inline int cutGetMaxGflopsDeviceId() { return gpuGetMaxGflopsDeviceId(); }
inline cudaError_t cutilDeviceSynchronize() { return cudaDeviceSynchronize(); }
inline void cutFree(void *p) { free(p); }

inline CUTBoolean cutCheckCmdLineFlag(int argc, const char **argv, const char *flag) {
  return checkCmdLineFlag(argc, argv, flag) ? CUTTrue : CUTFalse;
}
inline CUTBoolean cutGetCmdLineArgumenti(int argc, const char **argv, const char *flag, int *value) {
  if (!checkCmdLineFlag(argc, argv, flag)) return CUTFalse;
  *value = getCmdLineArgumentInt(argc, argv, flag);
  return CUTTrue;
}
inline CUTBoolean cutGetCmdLineArgumentf(int argc, const char **argv, const char *flag, float *value) {
  if (!checkCmdLineFlag(argc, argv, flag)) return CUTFalse;
  *value = getCmdLineArgumentFloat(argc, argv, flag);
  return CUTTrue;
}
inline CUTBoolean cutGetCmdLineArgumentstr(int argc, const char **argv, const char *flag, char **value) {
  return getCmdLineArgumentString(argc, argv, flag, value) ? CUTTrue : CUTFalse;
}

inline std::map<unsigned int, StopWatchInterface *> &__ks_cut_timers() {
  static std::map<unsigned int, StopWatchInterface *> timers;
  return timers;
}
inline StopWatchInterface **__ks_cut_timer(unsigned int name) {
  auto at = __ks_cut_timers().find(name);
  return at == __ks_cut_timers().end() ? nullptr : &at->second;
}
inline CUTBoolean cutCreateTimer(unsigned int *name) {
  static unsigned int made;
  *name = ++made;
  return sdkCreateTimer(&__ks_cut_timers()[made]) ? CUTTrue : CUTFalse;
}
inline CUTBoolean cutDeleteTimer(unsigned int name) {
  StopWatchInterface **t = __ks_cut_timer(name);
  if (!t) return CUTFalse;
  sdkDeleteTimer(t);
  __ks_cut_timers().erase(name);
  return CUTTrue;
}
inline CUTBoolean cutStartTimer(unsigned int name) { StopWatchInterface **t = __ks_cut_timer(name); return t && sdkStartTimer(t) ? CUTTrue : CUTFalse; }
inline CUTBoolean cutStopTimer(unsigned int name) { StopWatchInterface **t = __ks_cut_timer(name); return t && sdkStopTimer(t) ? CUTTrue : CUTFalse; }
inline CUTBoolean cutResetTimer(unsigned int name) { StopWatchInterface **t = __ks_cut_timer(name); return t && sdkResetTimer(t) ? CUTTrue : CUTFalse; }
inline float cutGetTimerValue(unsigned int name) { StopWatchInterface **t = __ks_cut_timer(name); return t ? sdkGetTimerValue(t) : 0; }
inline float cutGetAverageTimerValue(unsigned int name) { StopWatchInterface **t = __ks_cut_timer(name); return t ? sdkGetAverageTimerValue(t) : 0; }

inline char *cutFindFilePath(const char *file, const char *program) { return sdkFindFilePath(file, program); }
inline CUTBoolean cutLoadPGMub(const char *file, unsigned char **data, unsigned int *width, unsigned int *height) {
  return sdkLoadPGM(file, data, width, height) ? CUTTrue : CUTFalse;
}
inline CUTBoolean cutLoadPGMf(const char *file, float **data, unsigned int *width, unsigned int *height) {
  return sdkLoadPGM(file, data, width, height) ? CUTTrue : CUTFalse;
}
inline CUTBoolean cutSavePGMub(const char *file, unsigned char *data, unsigned int width, unsigned int height) {
  return sdkSavePGM(file, data, width, height) ? CUTTrue : CUTFalse;
}
inline CUTBoolean cutSavePGMf(const char *file, float *data, unsigned int width, unsigned int height) {
  return sdkSavePGM(file, data, width, height) ? CUTTrue : CUTFalse;
}
inline CUTBoolean cutLoadPPM4ub(const char *file, unsigned char **data, unsigned int *width, unsigned int *height) {
  return sdkLoadPPM4ub(file, data, width, height) ? CUTTrue : CUTFalse;
}
inline CUTBoolean cutSavePPM4ub(const char *file, unsigned char *data, unsigned int width, unsigned int height) {
  return sdkSavePPM4ub(file, data, width, height) ? CUTTrue : CUTFalse;
}
inline CUTBoolean cutReadFilef(const char *file, float **data, unsigned int *n, bool verbose = false) {
  return sdkReadFile(file, data, n, verbose) ? CUTTrue : CUTFalse;
}
inline CUTBoolean cutWriteFilef(const char *file, const float *data, unsigned int n, float epsilon, bool verbose = false) {
  return sdkWriteFile(file, data, n, epsilon, verbose) ? CUTTrue : CUTFalse;
}

template <typename _T> CUTBoolean __ks_cut_compare(const _T *reference, const _T *data, unsigned int n, double epsilon) {
  for (unsigned int i = 0; i < n; i++)
    if (!(fabs((double)reference[i] - (double)data[i]) <= epsilon)) return CUTFalse;
  return CUTTrue;
}
inline CUTBoolean cutComparef(const float *reference, const float *data, unsigned int n) { return __ks_cut_compare(reference, data, n, 0); }
inline CUTBoolean cutComparei(const int *reference, const int *data, unsigned int n) { return __ks_cut_compare(reference, data, n, 0); }
inline CUTBoolean cutCompareub(const unsigned char *reference, const unsigned char *data, unsigned int n) { return __ks_cut_compare(reference, data, n, 0); }
inline CUTBoolean cutComparefe(const float *reference, const float *data, unsigned int n, float epsilon) {
  return __ks_cut_compare(reference, data, n, epsilon);
}
inline CUTBoolean cutCompareL2fe(const float *reference, const float *data, unsigned int n, float epsilon) {
  return sdkCompareL2fe(reference, data, n, epsilon) ? CUTTrue : CUTFalse;
}
#else
#define CUDA_SAFE_CALL(call) (void)(call)
#define CUT_SAFE_CALL(call) (void)(call)
#define CUT_CHECK_ERROR(message) (void)(message)
#define cutilSafeCall(call) (void)(call)
#define cutilCheckMsg(message) (void)(message)
#endif
