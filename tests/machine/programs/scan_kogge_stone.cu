// An inclusive scan after Kogge and Stone with two buffers in shared memory, over sums and over maxima.
#include "common.h"

template <typename T, bool Maximum>
__global__ void scan(const T *in, T *out, int n) {
    extern __shared__ unsigned char memory[];
    T *buffer = reinterpret_cast<T *>(memory);
    int i = threadIdx.x, row = blockIdx.x, from = 0, to = n;
    if (i < n) buffer[i] = in[row * n + i];
    __syncthreads();
    for (int offset = 1; offset < n; offset *= 2) {
        if (i < n) {
            T value = buffer[from + i];
            if (i >= offset) {
                T other = buffer[from + i - offset];
                value = Maximum ? (value > other ? value : other) : value + other;
            }
            buffer[to + i] = value;
        }
        int swapped = from;
        from = to;
        to = swapped;
        __syncthreads();
    }
    if (i < n) out[row * n + i] = buffer[from + i];
}

int main() {
    const int rows = 12, n = 500;
    float *floats = to_device(random_floats(rows * n, 0, 1, 41)), *sums = device_zeros<float>(rows * n);
    int *ints = to_device(random_ints(rows * n, 1 << 20, 42)), *greatest = device_zeros<int>(rows * n);
    std::vector<double> small(rows * n);
    for (int i = 0; i < rows * n; ++i) small[i] = 1.0 / (i + 1);
    double *doubles = to_device(small), *harmonic = device_zeros<double>(rows * n);
    scan<float, false><<<rows, 512, 2 * n * sizeof(float)>>>(floats, sums, n);
    scan<int, true><<<rows, 512, 2 * n * sizeof(int)>>>(ints, greatest, n);
    scan<double, false><<<rows, 512, 2 * n * sizeof(double)>>>(doubles, harmonic, n);
    CHECK_KERNEL();
    show("sums", to_host(sums, rows * n));
    show("greatest", to_host(greatest, rows * n));
    show("harmonic", to_host(harmonic, rows * n));
    return 0;
}
