// The driver API beside the runtime: its context, a linked piece of PTX, arrays, textures and surfaces by object and by reference, copies and
// fills of boxes, and launches as before CUDA 4.
#include <cuda.h>
#include <stdio.h>
#include <string.h>

static const char ptx[] = R"(
.version 4.2
.target sm_35
.address_size 64
.global .texref rows;
.const .align 4 .u32 _ZL5shift = 7;
.visible .entry by_object(.param .u64 out, .param .u64 object)
{
	.reg .b32 %r<3>;
	.reg .f32 %f<7>;
	.reg .b64 %d<4>;
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, %tid.y;
	cvt.rn.f32.u32 %f1, %r1;
	cvt.rn.f32.u32 %f2, %r2;
	ld.param.u64 %d1, [object];
	tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%d1, {%f1, %f2}];
	mad.lo.u32 %r2, %r2, 4, %r1;
	ld.param.u64 %d2, [out];
	mul.wide.u32 %d3, %r2, 4;
	add.u64 %d2, %d2, %d3;
	st.global.f32 [%d2], %f3;
	exit;
}
.visible .entry by_reference(.param .u64 out, .param .u32 add)
{
	.reg .b32 %r<8>;
	.reg .b64 %d<3>;
	mov.u32 %r1, %tid.x;
	tex.1d.v4.s32.s32 {%r2, %r3, %r4, %r5}, [rows, {%r1}];
	ld.param.u32 %r6, [add];
	add.u32 %r2, %r2, %r6;
	ld.param.u64 %d1, [out];
	mul.wide.u32 %d2, %r1, 4;
	add.u64 %d1, %d1, %d2;
	st.global.u32 [%d1], %r2;
	exit;
}
)";

#define CHECK(CALL)                                                       \
  do {                                                                    \
    CUresult r = CALL;                                                    \
    const char *name;                                                     \
    cuGetErrorName(r, &name);                                             \
    if (r != CUDA_SUCCESS) return printf("%s: %s\n", #CALL, name), 1; \
  } while (0)

int main() {
  CUcontext context;
  CUdeviceptr p;
  printf("before: %d %d\n", cuMemAlloc(&p, 4), cuInit(0));
  printf("no context: %d\n", cuMemAlloc(&p, 4));
  cudaFree(0); // the runtime makes its own context
  CHECK(cuCtxGetCurrent(&context));
  printf("the runtime's: %d\n", context != nullptr);

  CUlinkState link;
  char log[256];
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, (void *)sizeof log}, *image;
  CHECK(cuLinkCreate(2, options, values, &link));
  printf("machine code: %d", cuLinkAddData(link, CU_JIT_INPUT_CUBIN, (void *)ptx, sizeof ptx, "cubin", 0, nullptr, nullptr));
  printf(", says why: %d\n", strstr(log, "PTX") != nullptr);
  CHECK(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)ptx, sizeof ptx, "ptx", 0, nullptr, nullptr));
  CHECK(cuLinkComplete(link, &image, nullptr));
  CUmodule module;
  CHECK(cuModuleLoadData(&module, image));
  CHECK(cuLinkDestroy(link));
  CUfunction by_object, by_reference;
  CHECK(cuModuleGetFunction(&by_object, module, "by_object"));
  CHECK(cuModuleGetFunction(&by_reference, module, "by_reference"));

  float host[4][4], back[4][4];
  for (int i = 0; i < 16; i++) host[i / 4][i % 4] = (float)i;
  CUarray array;
  CUDA_ARRAY_DESCRIPTOR shape = {4, 4, CU_AD_FORMAT_FLOAT, 1}, same;
  CHECK(cuArrayCreate(&array, &shape));
  CHECK(cuArrayGetDescriptor(&same, array));
  printf("array: %zu by %zu, format %d, %u channel\n", same.Width, same.Height, same.Format, same.NumChannels);
  CUDA_MEMCPY2D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST, copy.srcHost = host, copy.srcPitch = sizeof host[0];
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY, copy.dstArray = array, copy.WidthInBytes = sizeof host[0], copy.Height = 4;
  CHECK(cuMemcpy2D(&copy));
  CUDA_RESOURCE_DESC resource = {};
  resource.resType = CU_RESOURCE_TYPE_ARRAY, resource.res.array.hArray = array;
  CUDA_TEXTURE_DESC sampling = {};
  for (auto &mode : sampling.addressMode) mode = CU_TR_ADDRESS_MODE_CLAMP;
  sampling.filterMode = CU_TR_FILTER_MODE_LINEAR;
  CUtexObject texture;
  CHECK(cuTexObjectCreate(&texture, &resource, &sampling, nullptr));
  CHECK(cuMemAlloc(&p, sizeof host));
  void *arguments[] = {&p, &texture};
  CHECK(cuLaunchKernel(by_object, 1, 1, 1, 4, 4, 1, 0, nullptr, arguments, nullptr));
  CHECK(cuMemcpyDtoH(back, p, sizeof back));
  // Texel (x, y) reaches from x to x+1: its corner is the mean of the four around it.
  printf("between texels: %g %g %g\n", back[0][0], back[1][1], back[3][3]);
  CHECK(cuTexObjectDestroy(texture));

  // Bytes from 0 to 15 as signed integers behind a reference, and launches as of old.
  signed char bytes[16];
  for (int i = 0; i < 16; i++) bytes[i] = (signed char)(i - 8);
  CUdeviceptr q;
  CHECK(cuMemAlloc(&q, sizeof bytes));
  CHECK(cuMemcpyHtoD(q, bytes, sizeof bytes));
  CUtexref reference;
  printf("no such reference: %d\n", cuModuleGetTexRef(&reference, module, "columns"));
  CHECK(cuModuleGetTexRef(&reference, module, "rows"));
  CHECK(cuTexRefSetFormat(reference, CU_AD_FORMAT_SIGNED_INT8, 1));
  CHECK(cuTexRefSetFlags(reference, CU_TRSF_READ_AS_INTEGER));
  CHECK(cuTexRefSetAddress(nullptr, reference, q, sizeof bytes));
  CHECK(cuFuncSetBlockShape(by_reference, 16, 1, 1));
  CHECK(cuParamSetv(by_reference, 0, &p, sizeof p));
  CHECK(cuParamSeti(by_reference, sizeof p, 100));
  CHECK(cuParamSetSize(by_reference, sizeof p + 4));
  CHECK(cuLaunchGrid(by_reference, 1, 1));
  int sums[16];
  CHECK(cuMemcpyDtoH(sums, p, sizeof sums));
  printf("by reference: %d %d\n", sums[0], sums[15]);

  // A column of the array, and a box of a fill with a pitch.
  float column[4];
  copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY, copy.srcArray = array, copy.srcXInBytes = 8;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST, copy.dstHost = column, copy.dstPitch = 4, copy.WidthInBytes = 4, copy.Height = 4;
  CHECK(cuMemcpy2D(&copy));
  printf("column: %g %g %g %g\n", column[0], column[1], column[2], column[3]);
  CHECK(cuMemsetD32(p, 7, 16));
  CHECK(cuMemsetD2D32(p + 4, 16, 9, 2, 3));
  CHECK(cuMemcpyDtoH(sums, p, sizeof sums));
  for (int i = 0; i < 16; i++) printf("%d%s", sums[i], i % 4 == 3 ? "\n" : " ");
  CUstream stream;
  CUcontext owner;
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CHECK(cuStreamGetCtx(stream, &owner));
  CHECK(cuMemAllocAsync(&q, 4, stream));
  CHECK(cuMemsetD32Async(q, 5, 1, stream));
  CHECK(cuMemcpyDtoHAsync(sums, q, 4, stream));
  CHECK(cuMemFreeAsync(q, stream));
  CHECK(cuStreamSynchronize(stream));
  int blocks, block;
  CHECK(cuOccupancyMaxPotentialBlockSizeWithFlags(&blocks, &block, by_object, nullptr, 0, 64, CU_OCCUPANCY_DEFAULT));
  printf("its context: %d, in its order: %d, blocks of %d\n", owner == context, sums[0], block);
  CHECK(cuArrayDestroy(array));
  unsigned int kind;
  CHECK(cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
  CUctxCreateParams parameters = {};
  CHECK(cuCtxCreate(&context, &parameters, 0, 0)); // as in CUDA 13
  CHECK(cuCtxDestroy(context));
  printf("memory of kind %u, %d\n", kind, cudaGetLastError());
  size_t bytes_of;
  CHECK(cuModuleGetGlobal(&q, &bytes_of, module, "shift"));
  printf("static constant: %zu bytes\n", bytes_of);
  return 0;
}
