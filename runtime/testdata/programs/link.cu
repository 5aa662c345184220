// Pieces of PTX that name each other's functions and variables are linked at run time, from memory and from a file; what is wrong in them
// comes with CUDA's code and a log.
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD ".version 4.2\n.target sm_35\n.address_size 64\n"
static const char kernel[] = HEAD R"(
.extern .func (.param .b32 result) shift(.param .b32 value);
.extern .global .align 4 .u32 calls;
.visible .entry fill(.param .u64 out)
{
	.param .b32 given;
	.param .b32 got;
	.reg .b32 %r<4>;
	.reg .b64 %d<5>;
	mov.u32 %r1, %tid.x;
	st.param.b32 [given], %r1;
	call (got), shift, (given);
	ld.param.b32 %r2, [got];
	ld.param.u64 %d1, [out];
	mul.wide.u32 %d2, %r1, 4;
	add.u64 %d1, %d1, %d2;
	st.global.u32 [%d1], %r2;
	mov.u64 %d3, calls;
	red.global.add.u32 [%d3], 1;
	exit;
}
)";
static const char functions[] = HEAD R"(
.extern .const .align 4 .u32 offset;
.visible .func (.param .b32 result) shift(.param .b32 value)
{
	.reg .b32 %r<4>;
	ld.param.b32 %r1, [value];
	ld.const.u32 %r2, [offset];
	add.u32 %r3, %r1, %r2;
	st.param.b32 [result], %r3;
	ret;
}
)";
static const char variables[] = HEAD ".visible .const .align 4 .u32 offset = 100;\n.visible .global .align 4 .u32 calls = 7;\n";

#define CHECK(CALL)                                                           \
  do {                                                                        \
    CUresult r = CALL;                                                        \
    const char *name = "?";                                                   \
    cuGetErrorName(r, &name);                                                 \
    if (r != CUDA_SUCCESS) return printf("%s: %s %s\n", #CALL, name, said), 1; \
  } while (0)

static CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES};
static char said[1000], info[100];
static void *values[4];
static CUlinkState begin() {
  CUlinkState s = nullptr;
  values[0] = said, values[1] = (void *)sizeof said, values[2] = info, values[3] = (void *)sizeof info;
  cuLinkCreate(4, options, values, &s);
  return s;
}
static CUresult add(CUlinkState s, const char *text, const char *name) {
  return cuLinkAddData(s, CU_JIT_INPUT_PTX, (void *)text, strlen(text) + 1, name, 0, nullptr, nullptr);
}

int main() {
  CUcontext context;
  CUlinkState s;
  printf("no context: %d\n", cuLinkCreate(0, nullptr, nullptr, &s));
  cuInit(0);
  printf("still none: %d\n", cuLinkCreate(0, nullptr, nullptr, &s));
  CHECK(cuCtxCreate(&context, 0, 0));
  char file[] = "/tmp/variables-XXXXXX";
  int fd = mkstemp(file);
  FILE *f = fdopen(fd, "w");
  fputs(variables, f);
  fclose(f);

  // Wrong PTX is told of when it is added, with its place; what is missing or there twice, when all is linked.
  void *image;
  size_t bytes;
  s = begin();
  printf("nothing added: %d\n", cuLinkComplete(s, &image, &bytes));
  printf("wrong PTX: %d", add(s, HEAD ".visible .entry e() { nonsense; }", "wrong.ptx"));
  printf(", place told: %d, length told: %d\n", strstr(said, "wrong.ptx:4") != nullptr, (size_t)values[1] == strlen(said));
  printf("no file: %d\n", cuLinkAddFile(s, CU_JIT_INPUT_PTX, "nowhere.ptx", 0, nullptr, nullptr));
  printf("machine code: %d\n", cuLinkAddData(s, CU_JIT_INPUT_OBJECT, (void *)"\177ELF", 4, "object", 0, nullptr, nullptr));
  CHECK(add(s, kernel, "kernel.ptx"));
  printf("missing: %d", cuLinkComplete(s, &image, &bytes));
  printf(", name told: %d\n", strstr(said, "calls") != nullptr || strstr(said, "shift") != nullptr);
  CHECK(cuLinkDestroy(s));
  s = begin();
  CHECK(add(s, functions, "functions.ptx"));
  CHECK(add(s, variables, "variables.ptx"));
  CHECK(add(s, variables, "again.ptx"));
  printf("twice: %d", cuLinkComplete(s, &image, &bytes));
  printf(", name told: %d\n", strstr(said, "offset") != nullptr);
  CHECK(cuLinkDestroy(s));
  CUmodule module;
  printf("not linked at all: %d\n", cuModuleLoadData(&module, kernel));

  s = begin();
  CHECK(add(s, kernel, "kernel.ptx"));
  CHECK(add(s, functions, "functions.ptx"));
  CHECK(cuLinkAddFile(s, CU_JIT_INPUT_PTX, file, 0, nullptr, nullptr));
  remove(file);
  CHECK(cuLinkComplete(s, &image, &bytes));
  printf("logs: %zu %zu\n", (size_t)values[1], (size_t)values[3]);
  char *kept = (char *)malloc(bytes); // a program may keep it in a file
  memcpy(kept, image, bytes);
  CHECK(cuLinkDestroy(s));
  printf("destroyed: %d\n", cuLinkAddData(nullptr, CU_JIT_INPUT_PTX, (void *)kernel, sizeof kernel, "", 0, nullptr, nullptr));
  CHECK(cuModuleLoadData(&module, kept));
  CUfunction function;
  CHECK(cuModuleGetFunction(&function, module, "fill"));
  CUdeviceptr out, calls;
  int host[4], count;
  CHECK(cuMemAlloc(&out, sizeof host));
  void *arguments[] = {&out};
  CHECK(cuLaunchKernel(function, 1, 1, 1, 4, 1, 1, 0, nullptr, arguments, nullptr));
  CHECK(cuMemcpyDtoH(host, out, sizeof host));
  CHECK(cuModuleGetGlobal(&calls, &bytes, module, "calls"));
  CHECK(cuMemcpyDtoH(&count, calls, sizeof count));
  printf("%d %d %d %d, calls %d\n", host[0], host[1], host[2], host[3], count);

  // Another link takes what a link has given.
  s = begin();
  CHECK(cuLinkAddData(s, CU_JIT_INPUT_CUBIN, kept, strtoul(kept + 10, nullptr, 10), "kept", 0, nullptr, nullptr));
  CHECK(cuLinkComplete(s, &image, nullptr));
  CHECK(cuModuleLoadData(&module, image));
  CHECK(cuLinkDestroy(s));
  CHECK(cuModuleGetFunction(&function, module, "fill"));
  CHECK(cuLaunchKernel(function, 1, 1, 1, 2, 1, 1, 0, nullptr, arguments, nullptr));
  CHECK(cuCtxSynchronize());
  CUdeviceptr base;
  CHECK(cuMemGetAddressRange(&base, &bytes, out + 5));
  printf("range: %d %zu\n", base == out, bytes);
  return 0;
}
