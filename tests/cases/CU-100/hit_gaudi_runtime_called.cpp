#include "device.h"
int count() {
  int found = 0;
  check(cudaGetDeviceCount(&found));
  cudaDeviceSynchronize();
  return found;
}
# output
target: gaudi
4 build-fail: cudaGetDeviceCount(&found));
