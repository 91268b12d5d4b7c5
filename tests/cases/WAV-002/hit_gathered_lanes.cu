__device__ int leader_of(unsigned int set) { return __ffs(set) - 1; }
__global__ void by_label(const int *label, float *x) {
  unsigned int same = 0;
  for (int i = 0; i < 32; ++i) {
    int other = __shfl_sync(~0ull, label[threadIdx.x], i);
    if (other == label[threadIdx.x]) same |= (1u << i);
  }
  int first = leader_of(same);
  if (threadIdx.x == first) x[0] = __popc(same);
}
# output
1 wrong-result: unsigned int set
3 wrong-result: unsigned int same
6 wrong-result: 1u << i
9 wrong-result: __popc(same
