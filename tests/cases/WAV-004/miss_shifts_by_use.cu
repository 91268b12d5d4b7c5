#define BUCKET_BITS 5
#define ROUNDS 5
constexpr int kItemBits = 4;
__global__ void buckets(const unsigned* keys, int* count) {
  const int tid = threadIdx.x;
  int bits = 5;
  bits += keys[1];
  count[keys[tid] >> BUCKET_BITS] = __any_sync(0xffffffffffffffffull, tid >> kItemBits) + (tid >> bits);
  for (int i = 0; i < ROUNDS; ++i) count[i] = 0;
}
# output
