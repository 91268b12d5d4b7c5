namespace cg = cooperative_groups;
__global__ void queue(int* out) {
  auto group = cg::coalesced_threads();
  unsigned int active = group.ballot(out[threadIdx.x]);
  out[0] = active;
}
# output
2 wrong-result: int* out
4 wrong-result: unsigned int active
5 wrong-result: out[0] = active
