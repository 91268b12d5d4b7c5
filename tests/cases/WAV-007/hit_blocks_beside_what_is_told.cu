__device__ int votes(bool mine) {
  unsigned all = __ballot_sync(0xffffffff, mine);
  return __popc(all);
}
__global__ void by_thirty_two(struct row* rows, int* out) {
  int warp = threadIdx.x >> 5;
  int lane = threadIdx.x & 31;
  int n = votes(rows->x > lane);
  if (lane == 0) out[warp] = n;
}
__global__ void by_hardware(int* out) {
  int lane = threadIdx.x % warpSize;
  unsigned all = __ballot_sync(0xffffffff, lane);
  out[lane] = all;
}
void run(struct row* rows, int* out) {
  dim3 block(32 * 8);
  by_thirty_two<<<1, block>>>(rows, out);
}
void run_hardware(int* out) { by_hardware<<<1, 32>>>(out); }
# output
17 info: block(32 * 8)
20 wrong-result: 1, 32
