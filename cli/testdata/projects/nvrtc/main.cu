// Compiles kernels at run time, from strings and a header of its own, and launches them through the driver API.
#include <cuda.h>
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char source[] = "#include \"parts/by.h\"\n"
                             "template <typename T> __global__ void scale(T *x, int n) {\n"
                             "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "  if (i < n) x[i] = x[i] * by + offset[0];\n"
                             "}\n";
static const char header[] = "__constant__ float offset[2];\n#define by FACTOR\n";

int main() {
  int major, minor;
  nvrtcVersion(&major, &minor);
  nvrtcProgram program, wrong;
  const char *contents[] = {header}, *names[] = {"parts/by.h"}, *options[] = {"--gpu-architecture=compute_35", "-DFACTOR=3", "-default-device"};
  nvrtcCreateProgram(&program, source, "scale.cu", 1, contents, names);
  nvrtcAddNameExpression(program, "scale<float>");
  nvrtcAddNameExpression(program, "&offset");
  const char *kernel = "", *variable = "";
  nvrtcResult early = nvrtcGetLoweredName(program, "scale<float>", &kernel);
  nvrtcResult made = nvrtcCompileProgram(program, 3, options);
  nvrtcGetLoweredName(program, "scale<float>", &kernel), nvrtcGetLoweredName(program, "&offset", &variable);
  size_t bytes;
  nvrtcGetPTXSize(program, &bytes);
  char *ptx = (char *)malloc(bytes);
  nvrtcGetPTX(program, ptx);
  printf("%d.%d: %s, then %s: %s and %s, %d\n", major, minor, nvrtcGetErrorString(early), nvrtcGetErrorString(made), kernel, variable,
         strlen(ptx) + 1 == bytes);

  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction function;
  CUdeviceptr data, constants;
  cuInit(0), cuDeviceGet(&device, 0), cuCtxCreate(&context, 0, device);
  CUresult loaded = cuModuleLoadData(&module, ptx);
  cuModuleGetFunction(&function, module, kernel);
  CUresult found = cuModuleGetGlobal(&constants, &bytes, module, variable);
  float h[100], offset[2] = {0.5f, 0};
  int n = 100;
  for (int i = 0; i < n; i++) h[i] = i;
  cuMemAlloc(&data, sizeof h), cuMemcpyHtoD(data, h, sizeof h), cuMemcpyHtoD(constants, offset, sizeof offset);
  void *arguments[] = {&data, &n};
  CUresult launched = cuLaunchKernel(function, 4, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr);
  cuMemcpyDtoH(h, data, sizeof h);
  int bad = 0;
  for (int i = 0; i < n; i++) bad += h[i] != 3 * i + 0.5f;
  printf("%d %d %d: %d wrong\n", loaded, found, launched, bad);

  nvrtcCreateProgram(&wrong, "__global__ void k(int *x) { x[0] = y; }\n", nullptr, 0, nullptr, nullptr);
  made = nvrtcCompileProgram(wrong, 0, nullptr);
  nvrtcGetProgramLogSize(wrong, &bytes);
  char *log = (char *)malloc(bytes);
  nvrtcGetProgramLog(wrong, log);
  printf("%s, says why: %d\n", nvrtcGetErrorString(made), strstr(log, "undeclared identifier 'y'") != nullptr);
  nvrtcProgram real; // for a real architecture, with a header from beside its source
  const char *architecture[] = {"--gpu-architecture=sm_35"};
  size_t none;
  nvrtcCreateProgram(&real, "#include \"seven.h\"\nextern \"C\" __global__ void k(float *x) { x[0] = SEVEN; }\n", "kernels/real.cu", 0, nullptr, nullptr);
  made = nvrtcCompileProgram(real, 1, architecture);
  nvrtcGetCUBINSize(program, &none), nvrtcGetCUBINSize(real, &bytes);
  char *code = (char *)malloc(bytes);
  nvrtcGetCUBIN(real, code);
  loaded = cuModuleLoadData(&module, code);
  cuModuleGetFunction(&function, module, "k");
  cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr);
  cuMemcpyDtoH(h, data, sizeof *h);
  printf("%s, machine code of %zu bytes and %d: %d %g\n", nvrtcGetErrorString(made), none, bytes > 0, loaded, h[0]);
  struct { const char *first, *second; } tried[] = {{"--no-such-option", nullptr}, {"-arch=compute_20", nullptr}, {"--std", nullptr}, {"file.cu", nullptr},
                                                    {"-D", "UNUSED=1"}, {"--std=c++14", "-w"}, {"-DUNUSED", "--fmad=false"}};
  for (auto &t : tried) {
    const char *both[] = {t.first, t.second};
    nvrtcProgram small;
    nvrtcCreateProgram(&small, "__global__ void k() {}\n", nullptr, 0, nullptr, nullptr);
    printf("%d ", nvrtcCompileProgram(small, t.second ? 2 : 1, both));
    nvrtcDestroyProgram(&small);
  }
  puts("");
  nvrtcDestroyProgram(&program), nvrtcDestroyProgram(&wrong), nvrtcDestroyProgram(&real);
  return bad;
}
