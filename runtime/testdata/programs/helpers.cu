// The samples' helpers, where no copy of NVIDIA's stands beside the program.
#include <helper_cuda.h>
#include <helper_functions.h>

__global__ void invert(unsigned char *p) { p[threadIdx.x] = 255 - p[threadIdx.x]; }

int main(int count, char **arguments) {
  const char **flags = (const char **)arguments;
  int device = findCudaDevice(count, flags);
  char *name;
  getCmdLineArgumentString(count, flags, "file", &name);
  printf("device %d, n %d, quick %d, slow %d, scale %g, name %s\n", device, getCmdLineArgumentInt(count, flags, "n"), checkCmdLineFlag(count, flags, "quick"),
         checkCmdLineFlag(count, flags, "slow"), getCmdLineArgumentFloat(count, flags, "scale"), name);
  StopWatchInterface *timer = nullptr;
  sdkCreateTimer(&timer);
  sdkStartTimer(&timer);

  char folder[] = "/tmp/helpersXXXXXX";
  if (!mkdtemp(folder)) return 1;
  std::string path = std::string(folder) + "/a.pgm";
  unsigned char pixels[6] = {0, 51, 102, 153, 204, 255}, *d, *read = nullptr;
  checkCudaErrors(cudaMalloc(&d, sizeof pixels));
  checkCudaErrors(cudaMemcpy(d, pixels, sizeof pixels, cudaMemcpyHostToDevice));
  invert<<<1, 6>>>(d);
  getLastCudaError("invert");
  checkCudaErrors(cudaMemcpy(pixels, d, sizeof pixels, cudaMemcpyDeviceToHost));
  bool saved = sdkSavePGM(path.c_str(), pixels, 3, 2);
  unsigned width = 0, height = 0;
  float *scaled = nullptr;
  char *found = sdkFindFilePath("a.pgm", (std::string(folder) + "/program").c_str());
  bool loaded = found && sdkLoadPGM(found, &read, &width, &height) && sdkLoadPGM(found, &scaled, &width, &height);
  printf("%d %d %u by %u: %d %d, as floats %g %g\n", saved, loaded, width, height, read[0], read[4], scaled[0], scaled[4]);
  sdkStopTimer(&timer);
  printf("time %d, equal %d, not equal %d, near %d\n", sdkGetTimerValue(&timer) >= 0, compareData(read, pixels, 6, (unsigned char)0, 0.0f),
         compareData(read, read + 1, 5, (unsigned char)50, 0.0f), compareData(read, read + 1, 5, (unsigned char)51, 0.0f));
  remove(path.c_str());
  rmdir(folder);
  checkCudaErrors(cudaFree(d + 1)); // ends the program
  return 0;
}
