// What the host parts of NVIDIA's samples call: for a kernel alone declared, so that they parse.
#pragma once
#include "keplersim_cuda.h"
#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif
#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif

#ifdef KEPLERSIM_MACHINE_LIBRARY
#include "keplersim/samples_helpers.h"
#else
#define checkCudaErrors(call) (void)(call)
#define getLastCudaError(message) (void)(message)
#define printLastCudaError(message) (void)(message)

struct StopWatchInterface;
int findCudaDevice(int count, const char **arguments);
int gpuDeviceInit(int device);
int gpuGetMaxGflopsDeviceId();
int _ConvertSMVer2Cores(int major, int minor);
bool checkCudaCapabilities(int major, int minor);
bool checkCmdLineFlag(const int count, const char **arguments, const char *flag);
int getCmdLineArgumentInt(const int count, const char **arguments, const char *flag);
float getCmdLineArgumentFloat(const int count, const char **arguments, const char *flag);
bool getCmdLineArgumentString(const int count, const char **arguments, const char *flag, char **text);
char *sdkFindFilePath(const char *file, const char *program);
bool sdkCreateTimer(StopWatchInterface **timer);
bool sdkDeleteTimer(StopWatchInterface **timer);
bool sdkStartTimer(StopWatchInterface **timer);
bool sdkStopTimer(StopWatchInterface **timer);
bool sdkResetTimer(StopWatchInterface **timer);
float sdkGetTimerValue(StopWatchInterface **timer);
float sdkGetAverageTimerValue(StopWatchInterface **timer);
template <typename _T> bool sdkLoadPGM(const char *file, _T **data, unsigned int *width, unsigned int *height);
template <typename _T> bool sdkSavePGM(const char *file, _T *data, unsigned int width, unsigned int height);
template <typename _T> bool sdkLoadPPM4(const char *file, _T **data, unsigned int *width, unsigned int *height);
template <typename _T> bool sdkSavePPM4ub(const char *file, _T *data, unsigned int width, unsigned int height);
template <typename _T> bool sdkReadFile(const char *file, _T **data, unsigned int *n, bool verbose);
template <typename _T, typename _S> bool sdkWriteFile(const char *file, const _T *data, unsigned int n, const _S epsilon, bool verbose, bool append = false);
template <typename _T> bool compareData(const _T *reference, const _T *data, unsigned int n, _T epsilon, float threshold);
template <typename _T> bool sdkCompareL2fe(const _T *reference, const _T *data, unsigned int n, _T epsilon);
#endif
