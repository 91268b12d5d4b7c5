__device__ float sum_of_32(float x) {
    for (int mask = 16; mask > 0; mask >>= 1) {
        x += __shfl_xor(x, mask, 32);
    }
    return x;
}
# output
