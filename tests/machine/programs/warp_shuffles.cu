// Every shuffle with widths of 32, 16, 8 and 4, of ints, floats, doubles and 64-bit integers.
#include "common.h"

template <typename T>
__global__ void shuffles(const T *in, T *out, int width) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % width;
    T value = in[i];
    out[6 * i] = __shfl_sync(0xffffffff, value, 3, width);
    out[6 * i + 1] = __shfl_sync(0xffffffff, value, (lane * 5 + 1) % width, width);
    out[6 * i + 2] = __shfl_up_sync(0xffffffff, value, 1, width);
    out[6 * i + 3] = __shfl_down_sync(0xffffffff, value, 2, width);
    out[6 * i + 4] = __shfl_xor_sync(0xffffffff, value, width - 1, width);
    out[6 * i + 5] = __shfl_xor_sync(0xffffffff, value, 1, width);
}

__global__ void rotate(int *data) {  // sixteen values go round within their half
    int value = data[threadIdx.x];
    for (int i = 0; i < 5; ++i) value = __shfl_sync(0xffffffff, value, threadIdx.x + 1, 16) * 3 + 1;
    data[threadIdx.x] = value;
}

template <typename T>
void run(const char *label, const std::vector<T> &values) {
    const int n = (int)values.size();
    T *in = to_device(values), *out = device_zeros<T>(6 * n);
    std::vector<T> all;
    for (int width = 32; width >= 4; width /= 2) {
        shuffles<<<n / 128, 128>>>(in, out, width);
        CHECK_KERNEL();
        std::vector<T> some = to_host(out, 6 * n);
        all.insert(all.end(), some.begin(), some.end());
    }
    show(label, all);
}

int main() {
    const int n = 512;
    std::vector<int> ints = random_ints(n, 1 << 30, 461);
    run("ints", ints);
    run("floats", random_floats(n, -1, 1, 462));
    std::vector<double> doubles(n);
    std::vector<unsigned long long> longs(n);
    for (int i = 0; i < n; ++i) {
        doubles[i] = ints[i] * 1.0000001;
        longs[i] = (unsigned long long)ints[i] * 0x9E3779B97F4A7C15ull;
    }
    run("doubles", doubles);
    run("longs", longs);
    int *data = to_device(random_ints(128, 100, 463));
    rotate<<<1, 128>>>(data);
    CHECK_KERNEL();
    show("rotated", to_host(data, 128));
    return 0;
}
