struct State { unsigned long long map[8]; unsigned int counts[8]; };
__global__ void store(State *s, int *x) {
  const int t = threadIdx.x;
  unsigned long long votes{__ballot_sync(~0ull, x[t])};
  s->map[t / warpSize] = votes;
  s->counts[t / warpSize] = __popcll(votes);
  s->map[1] = __ballot_sync(~0ull, x[t] > 1);
}
# output
