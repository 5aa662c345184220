// Texture objects, references and surfaces.
#include <cstdio>

texture<float, 2, cudaReadModeElementType> reference;
texture<unsigned char, 1, cudaReadModeNormalizedFloat> bytes;
surface<void, 2> surfaceReference_;

__global__ void read(cudaTextureObject_t t, float *out) { out[threadIdx.x] = tex2D<float>(t, threadIdx.x + 0.5f, 1.5f) + tex2D(reference, 0.5f, threadIdx.x % 4 + 0.5f); }
__global__ void edge(cudaTextureObject_t t, float *out) { out[threadIdx.x] = tex2D<float>(t, threadIdx.x * 0.5f - 0.5f, 1.5f); }
__global__ void faces(cudaSurfaceObject_t s, cudaTextureObject_t layers, cudaTextureObject_t flat, float *out) {
  int x = threadIdx.x;
  surfCubemapwrite((float)(10 * x), s, x * 4, 1, 4);
  out[x] = surfCubemapread<float>(s, x * 4, 1, 4) + tex2DLayeredGrad<float>(layers, x + 0.5f, 0.5f, 1, make_float2(1, 0), make_float2(0, 1)) +
           tex2DGrad<float>(flat, 1.5f, 0.5f, make_float2(0, 0), make_float2(0, 0)) + tex2DGrad(reference, 2.5f, 0.5f, make_float2(0, 0), make_float2(0, 0));
}
__global__ void line(float *out) { out[threadIdx.x] = tex1Dfetch(bytes, threadIdx.x); }
__global__ void write(cudaSurfaceObject_t s) {
  surf2Dwrite((float)(threadIdx.x * 10), s, threadIdx.x * 4, 2);
  float v;
  surf2Dread(&v, surfaceReference_, threadIdx.x * 4, 2);
  surf2Dwrite(v + 1, surfaceReference_, threadIdx.x * 4, 3);
}

int main() {
  const int w = 8, h = 4;
  float image[h][w], out[w], back[h][w], *device;
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) image[y][x] = 10 * y + x;
  cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  cudaMallocArray(&array, &desc, w, h, cudaArraySurfaceLoadStore);
  cudaMemcpy2DToArray(array, 0, 0, image, sizeof image[0], sizeof image[0], h, cudaMemcpyHostToDevice);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc how = {};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  how.readMode = cudaReadModeElementType;
  cudaTextureObject_t t;
  cudaSurfaceObject_t s;
  cudaCreateTextureObject(&t, &resource, &how, nullptr);
  cudaCreateSurfaceObject(&s, &resource);
  cudaResourceDesc made = {}, written = {};
  cudaTextureDesc asked = {};
  bool told = cudaGetTextureObjectResourceDesc(&made, t) == cudaSuccess && made.res.array.array == array;
  told = told && cudaGetTextureObjectTextureDesc(&asked, t) == cudaSuccess && asked.addressMode[1] == cudaAddressModeClamp;
  told = told && cudaGetSurfaceObjectResourceDesc(&written, s) == cudaSuccess && written.resType == cudaResourceTypeArray;
  printf("told %d, another's %d\n", told, cudaGetTextureObjectResourceDesc(&made, 12345));
  cudaGetLastError();
  reference.filterMode = cudaFilterModePoint;
  cudaBindTextureToArray(reference, array, desc);
  cudaBindSurfaceToArray(surfaceReference_, array);
  cudaMalloc(&device, sizeof out);
  read<<<1, w>>>(t, device);
  cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost);
  printf("%g %g %g\n", out[0], out[3], out[7]); // 10 + 0, 13 + 30, 17 + 30

  // Faces of a cube as a surface, layers, and a level of detail that is the only one.
  cudaArray_t cube, stack;
  float in_layers[2][2][2] = {{{0, 0}, {0, 0}}, {{100, 200}, {0, 0}}};
  cudaMalloc3DArray(&cube, &desc, make_cudaExtent(2, 2, 6), cudaArrayCubemap | cudaArraySurfaceLoadStore);
  cudaMalloc3DArray(&stack, &desc, make_cudaExtent(2, 2, 2), cudaArrayLayered);
  cudaMemcpy3DParms fill = {};
  fill.srcPtr = make_cudaPitchedPtr(in_layers, 8, 2, 2), fill.dstArray = stack, fill.extent = make_cudaExtent(2, 2, 2), fill.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&fill);
  cudaResourceDesc others = resource;
  cudaSurfaceObject_t sides;
  cudaTextureObject_t layers;
  others.res.array.array = cube, cudaCreateSurfaceObject(&sides, &others);
  others.res.array.array = stack, cudaCreateTextureObject(&layers, &others, &how, nullptr);
  faces<<<1, 2>>>(sides, layers, t, device);
  cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost);
  printf("%g %g\n", out[0], out[1]); // 0 + 100 + 1 + 2, 10 + 200 + 1 + 2
  // Beyond a border the colour, and a filter's mean of it and the first texel.
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeBorder, how.borderColor[0] = 4, how.filterMode = cudaFilterModeLinear;
  cudaCreateTextureObject(&t, &resource, &how, nullptr);
  edge<<<1, 3>>>(t, device);
  cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost);
  printf("border: %g %g %g", out[0], out[1], out[2]);
  unsigned char *raw, values[8] = {0, 51, 102, 153, 204, 255, 0, 255};
  cudaMalloc(&raw, 8);
  cudaMemcpy(raw, values, 8, cudaMemcpyHostToDevice);
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = raw, resource.res.pitch2D.desc = cudaCreateChannelDesc<unsigned char>();
  resource.res.pitch2D.width = 2, resource.res.pitch2D.height = 2, resource.res.pitch2D.pitchInBytes = 32; // past its allocation
  how.readMode = cudaReadModeNormalizedFloat, how.borderColor[0] = 0.6f, how.filterMode = cudaFilterModePoint;
  cudaCreateTextureObject(&t, &resource, &how, nullptr);
  edge<<<1, 1>>>(t, device);
  cudaMemcpy(out, device, 4, cudaMemcpyDeviceToHost);
  printf(" %g\n", out[0]);
  bytes.sRGB = 1;
  printf("sRGB %d\n", cudaBindTexture(nullptr, bytes, raw, 8));
  cudaGetLastError();
  bytes.sRGB = 0;
  cudaBindTexture(nullptr, bytes, raw, 8);
  line<<<1, 8>>>(device);
  cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost);
  printf("%g %g %g\n", out[1], out[4], out[7]);

  write<<<1, w>>>(s);
  cudaMemcpy2DFromArray(back, sizeof back[0], array, 0, 0, sizeof back[0], h, cudaMemcpyDeviceToHost);
  printf("%g %g %g\n", back[1][7], back[2][3], back[3][5]);
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
