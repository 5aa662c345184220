// Texture and surface references, with the host part that binds them: every function, every read mode, and one that is static.
#include <stdio.h>
#include <cuda_runtime.h>
#define WIDTH 8
texture<float, 2, cudaReadModeElementType> image;
texture<uchar4, cudaTextureType2D, cudaReadModeNormalizedFloat> colours;
static texture<int, 1> line;
texture<short2, 1, cudaReadModeElementType> pairs;
surface<void, cudaSurfaceType2D> result;

__device__ float at(float x, float y) { return tex2D(image, x, y); }

__global__ void mix(float *out) {
  int x = threadIdx.x;
  float4 colour = tex2D(colours, x % 4, x / 4);
  short2 pair = tex1Dfetch(pairs, x / 2);
  out[x] = at(x % WIDTH + 0.5f, x / WIDTH + 0.5f) + tex1Dfetch(line, x) + colour.y + pair.y;
  surf2Dwrite((float)x, result, x * 4, 0, cudaBoundaryModeClamp);
  float back;
  surf2Dread(&back, result, x * 4, 0);
  out[x] += back;
}

int main() {
  float *memory;
  cudaArray *array;
  cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
  cudaMallocArray(&array, &channels, WIDTH, 4);
  cudaMalloc((void **)&memory, 128);
  image.addressMode[0] = cudaAddressModeClamp;
  image.filterMode = cudaFilterModePoint;
  image.normalized = false;
  cudaBindTextureToArray(image, array, channels);
  cudaBindTextureToArray(image, array);
  cudaBindTexture(NULL, line, memory, 128);
  cudaBindTexture(0, line, memory, channels, 128);
  cudaBindTexture2D(NULL, image, memory, channels, WIDTH, 4, 64);
  cudaBindSurfaceToArray(result, array);
  mix<<<1, 32>>>(memory);
  cudaUnbindTexture(image);
  return 0;
}
