#include "check.h"
#include <hip/hip_cooperative_groups.h>
#include <string.h>
namespace cg = cooperative_groups;
__global__ void count(int *p) { atomicAdd(p, 1); }
__global__ void dynamic(int *p, int n) {
  extern __shared__ int room[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) room[i] = i;
  __syncthreads();
  if (threadIdx.x == 0) p[0] = room[n - 1];
}
__global__ void __launch_bounds__(128) small(int *p) { p[threadIdx.x] = 1; }
struct Wide { double a; char b; int c[5]; };
__global__ void takes(Wide w, char x, short y, long z, int *out) { *out = (int)w.a + w.b + w.c[4] + x + y + (int)z; }
__global__ void steps(int *a, int n, int rounds) {
  cg::grid_group grid = cg::this_grid();
  int i = (int)grid.thread_rank();
  for (int r = 0; r < rounds; r++) {
    int v = a[(i + 1) % n];
    grid.sync();
    a[i] = v + 1;
    grid.sync();
  }
}
int main() {
  int *p, host;
  FINE(hipMalloc(&p, 4096 * 4));
  FINE(hipMemset(p, 0, 4096 * 4));
  count<<<dim3(3, 5, 7), dim3(4, 2, 8)>>>(p);
  FINE(hipMemcpy(&host, p, 4, hipMemcpyDeviceToHost));
  CHECK(host == 3 * 5 * 7 * 64);
  // The card's limits.
  count<<<1, 1025>>>(p);
  CHECK(hipGetLastError() == hipErrorInvalidConfiguration);
  count<<<0, 64>>>(p);
  CHECK(hipGetLastError() == hipErrorInvalidConfiguration);
  dynamic<<<1, 64, 65537>>>(p, 4);
  CHECK(hipGetLastError() == hipErrorInvalidValue);
  dynamic<<<1, 64, 65536>>>(p, 16384);
  FINE(hipMemcpy(&host, p, 4, hipMemcpyDeviceToHost));
  CHECK(host == 16383);
  small<<<1, 129>>>(p);
  CHECK(hipGetLastError() == hipErrorLaunchFailure);
  hipFuncAttributes about;
  FINE(hipFuncGetAttributes(&about, (const void *)small));
  CHECK(about.maxThreadsPerBlock == 128 && about.numRegs > 0);
  // Arguments of all sizes.
  Wide w = {1.0, 2, {0, 0, 0, 0, 3}};
  takes<<<1, 1>>>(w, 4, 5, 6, p);
  FINE(hipMemcpy(&host, p, 4, hipMemcpyDeviceToHost));
  CHECK(host == 21);
  // A grid that waits for itself, and one that does not fit.
  int n = 64 * 20, rounds = 5;
  void *arguments[] = {&p, &n, &rounds};
  FINE(hipMemset(p, 0, 4096 * 4));
  FINE(hipLaunchCooperativeKernel((void *)steps, dim3(20), dim3(64), arguments, 0, 0));
  int all[64 * 20];
  FINE(hipMemcpy(all, p, sizeof all, hipMemcpyDeviceToHost));
  for (int v : all) CHECK(v == rounds);
  GIVES(hipErrorCooperativeLaunchTooLarge, hipLaunchCooperativeKernel((void *)steps, dim3(1000000), dim3(64), arguments, 0, 0));
  int blocks, grid, block;
  FINE(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, count, 256, 0));
  CHECK(blocks > 0 && blocks * 256 <= 2048);
  FINE(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, count, 256, 40000));
  CHECK(blocks >= 1 && blocks <= 3);
  FINE(hipOccupancyMaxPotentialBlockSize(&grid, &block, count, 0, 0));
  CHECK(block > 0 && block <= 1024 && grid > 0);
  hipDeviceProp_t card;
  int value;
  FINE(hipGetDeviceProperties(&card, 0));
  FINE(hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, 0));
  CHECK(value == card.warpSize && card.sharedMemPerBlock == 65536 && card.maxThreadsPerBlock == 1024);
  GIVES(hipErrorInvalidDevice, hipSetDevice(1));
  printf("launches: fine on %s with waves of %d\n", card.gcnArchName, card.warpSize);
}
