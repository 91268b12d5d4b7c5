// fix: none
__global__ void done(int* left, int* out) {
  const bool all = out[threadIdx.x] > 0;
#ifdef USE_ROCM
  unsigned long long votes = __ballot(all);
  int count = __popcll(votes);
#else
  unsigned votes = __ballot_sync(0xffffffff, all);
  int count = __popc(votes);
#endif
  if (threadIdx.x % 32 == 0) atomicSub(left, count), out[threadIdx.x / 32] = 5;
}
