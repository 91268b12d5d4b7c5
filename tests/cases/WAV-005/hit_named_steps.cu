enum { kLanes = 32, kLogLanes = 5 };
__device__ int scan(int v, int lane) {
  for (int i = 0; i < kLogLanes; ++i) {
    int n = __shfl_up_sync(~0ull, v, 1 << i);
    v += lane >= (1 << i) ? n : 0;
  }
  return v;
}
# output
3 wrong-result: for (int i = 0; i < kLogLanes; ++i)
