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
template <typename T> bool sdkLoadPGM(const char *file, T **data, unsigned int *width, unsigned int *height);
template <typename T> bool sdkSavePGM(const char *file, T *data, unsigned int width, unsigned int height);
template <typename T> bool sdkLoadPPM4(const char *file, T **data, unsigned int *width, unsigned int *height);
template <typename T> bool sdkSavePPM4ub(const char *file, T *data, unsigned int width, unsigned int height);
template <typename T> bool sdkReadFile(const char *file, T **data, unsigned int *n, bool verbose);
template <typename T, typename S> bool sdkWriteFile(const char *file, const T *data, unsigned int n, const S epsilon, bool verbose, bool append = false);
template <typename T> bool compareData(const T *reference, const T *data, unsigned int n, T epsilon, float threshold);
template <typename T> bool sdkCompareL2fe(const T *reference, const T *data, unsigned int n, T epsilon);
#endif
