__global__ void flags_of(const int *data, unsigned *out) {
  unsigned set = 0;
  for (int i = 0; i < 20; ++i)
    if (data[i] > 0) set |= (1u << i);
  out[threadIdx.x] = __popc(set) + __shfl_sync(~0ull, data[0], 3);
}
__global__ void wide(const int *label, unsigned long long *out) {
  unsigned long long same = 0;
  for (int i = 0; i < warpSize; ++i)
    if (__shfl_sync(~0ull, label[0], i) == label[1]) same |= (1ull << i);
  out[0] = __popcll(same);
}
# output
