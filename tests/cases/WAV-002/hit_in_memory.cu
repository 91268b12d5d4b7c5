struct State { volatile unsigned int map[512 / 32]; unsigned long long wide[8]; };
__global__ void store(State *s, int *x) {
  const int t = threadIdx.x;
  unsigned long long votes = __ballot_sync(~0ull, x[t]);
  s->map[t / warpSize] = votes;
  s->wide[t / warpSize] = votes;
}
__global__ void load(State *s, int *y) { unsigned int here = s->map[0]; y[0] = here; }
__global__ void braces(float *x) { word_type const result{__ballot_sync(~0ull, x[0])}; x[1] += result; }
__global__ void direct(float *z) { __shared__ unsigned int words[4]; words[threadIdx.x / warpSize] = __ballot_sync(~0ull, z[0]); z[1] += words[0]; }
# output
1 wrong-result: unsigned int map
5 wrong-result: map[t / warpSize] = votes
8 wrong-result: unsigned int here
9 info: result
10 wrong-result: unsigned int words
