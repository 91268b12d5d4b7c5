// Floats, integers and halves: every rounding, denormals, overflow and NaN, all 65536 halves to floats and back.
#include "common.h"
#include <cuda_fp16.h>

__global__ void all_halves(float *floats, unsigned short *again, int *whole) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __half half = __ushort_as_half((unsigned short)i);
    float value = __half2float(half);
    bool number = !__hisnan(half);
    floats[i] = number && !isinf(value) ? value : 0.0f;
    again[i] = number ? __half_as_ushort(__float2half(value)) : 0;
    whole[i] = number && fabsf(value) < 1e9f ? __half2int_rz(half) : 0;
}

__global__ void rounded(const float *in, unsigned short *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[4 * i] = __half_as_ushort(__float2half_rn(in[i]));
    out[4 * i + 1] = __half_as_ushort(__float2half_rz(in[i]));
    out[4 * i + 2] = __half_as_ushort(__float2half_ru(in[i]));
    out[4 * i + 3] = __half_as_ushort(__float2half_rd(in[i]));
}

__global__ void from_ints(unsigned short *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = __half_as_ushort(__int2half_rn(i * 17 - 30000));
}

int main() {
    float *floats = device_zeros<float>(65536);
    unsigned short *again = device_zeros<unsigned short>(65536);
    int *whole = device_zeros<int>(65536);
    all_halves<<<256, 256>>>(floats, again, whole);
    std::vector<float> values = random_floats(1000, -1, 1, 361);
    for (int i = 0; i < 1000; ++i) values[i] = ldexpf(values[i], i % 45 - 28);
    values.insert(values.end(), {0.0f, -0.0f, 65504.0f, 65519.0f, 65520.0f, -65520.0f, 5.9604645e-8f, 2.9802322e-8f, 2.98e-8f, 6.1e-5f, INFINITY});
    const int n = (int)values.size();
    float *in = to_device(values);
    unsigned short *out = device_zeros<unsigned short>(4 * n), *ints = device_zeros<unsigned short>(4096);
    rounded<<<(n + 127) / 128, 128>>>(in, out, n);
    from_ints<<<32, 128>>>(ints);
    CHECK_KERNEL();
    show("floats", to_host(floats, 65536));
    show("again", to_host(again, 65536));
    show("whole", to_host(whole, 65536));
    show("rounded", to_host(out, 4 * n));
    show("edges", to_host(out + 4000, 4 * (n - 1000)));
    show("from_ints", to_host(ints, 4096));
    return 0;
}
