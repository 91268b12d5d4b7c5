template <const int kHeadSize, const int kStages>
void launch_attention(const float* q, float* out) {
  attention<kHeadSize, kStages><<<8, 128>>>(q, out);
}
void attend(const float* q, float* out, int size) {
  if (size == 32) launch_attention<32, 1>(q, out);
  if (size == 64) launch_attention<64, 1>(q, out);
}
__device__ float total(float v) { return v + __shfl_xor_sync(0xffffffffffffffffull, v, 1, 32); }
# output
