// 32 is the number of bits in a word.
// kind: none
// run: members<<<1, 128>>>(bits: unsigned[4] = 0x11111111u << i, out: int[128])
// gives: out = [int(i % 4 == i // 32) for i in range(128)]
// at 64: same
// ---- original
__global__ void members(const unsigned* bits, int* out) {
  out[threadIdx.x] = bits[threadIdx.x / 32] >> (threadIdx.x % 32) & 1u;
}
