__device__ int rank(unsigned ballot, int lane) { return __popc(ballot & ((1u << lane) - 1)); }
__device__ int first(unsigned warp_mask) { return __ffs(warp_mask) - 1; }
__device__ unsigned below(int lane_id) { return (1u << lane_id) - 1; }
__device__ int each(int p, int v) {
  auto todo = __ballot(p);
  while (todo) {
    const int who = __ffsll(todo) - 1;
    v += __shfl(v, who);
    todo &= ~(1U << who);
  }
  return v;
}
# output
1 info: __popc(ballot & ((1u << lane) - 1)
2 info: __ffs(warp_mask
3 info: 1u << lane_id
9 wrong-result: 1U << who
