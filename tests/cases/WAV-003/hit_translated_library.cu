#include "rewarp_hip.h"
__global__ void library(float *x) {
  __shared__ typename hipcub::WarpReduce<float>::TempStorage temp[8];
  int warp = threadIdx.x / 32;
  x[warp] = hipcub::WarpReduce<float>(temp[warp]).Sum(x[threadIdx.x]);
}
# output
4 wrong-result: threadIdx.x / 32
