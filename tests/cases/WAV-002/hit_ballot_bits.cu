__global__ void compact(const int *in, int *out, int *count) {
  const int l = threadIdx.x & 31;
  const int lane = l;
  auto votes = __ballot_sync(~0ull, in[threadIdx.x] > 0);
  int before = __popc(votes);
  out[before + __popcll(votes & ((1u << lane) - 1))] = in[threadIdx.x];
}
# output
5 wrong-result: __popc(votes
6 wrong-result: 1u << lane
