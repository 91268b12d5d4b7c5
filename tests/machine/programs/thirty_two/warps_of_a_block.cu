// Work divided among blockDim.x / 32 warps, each found by threadIdx.x / warpSize: on wider waves half of it is left.
#include "../common.h"

__global__ void rows(const int *in, int *out, int count, int columns) {
    int warp = threadIdx.x / warpSize, lane = threadIdx.x % warpSize, warps = blockDim.x / 32;
    for (int row = warp; row < count; row += warps) {
        int sum = 0;
        for (int column = lane; column < columns; column += warpSize) sum += in[row * columns + column];
        for (int offset = warpSize / 2; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
        if (lane == 0) out[row] = sum;
    }
}

int main() {
    const int count = 40, columns = 100;
    int *in = to_device(random_ints(count * columns, 1000, 641)), *out = device_zeros<int>(count);
    rows<<<1, 256>>>(in, out, count, columns);
    CHECK_KERNEL();
    show("rows", to_host(out, count));
    return 0;
}
