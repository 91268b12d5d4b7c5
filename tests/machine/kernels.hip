// Kernels whose results NumPy knows, one for each family of instructions.
#include <hip/hip_bf16.h>
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

#define KERNEL extern "C" __global__ void
#define ITEM (blockIdx.x * blockDim.x + threadIdx.x)

KERNEL add(const float *a, const float *b, float *c, int n) {
    int i = ITEM;
    if (i < n) c[i] = a[i] + b[i];
}
KERNEL integers(const int *a, const int *b, int *out, int n) {
    int i = ITEM;
    if (i >= n) return;
    int x = a[i], y = b[i];
    unsigned u = x, v = y;
    int *o = out + 16 * i;
    o[0] = x * y, o[1] = __mulhi(x, y), o[2] = (int)__umulhi(u, v), o[3] = y ? x / y : 0, o[4] = y ? x % y : 0;
    o[5] = v ? (int)(u / v) : 0, o[6] = v ? (int)(u % v) : 0, o[7] = __popc(u), o[8] = __clz(x), o[9] = __ffs(x);
    o[10] = x << (y & 31), o[11] = x >> (y & 31), o[12] = (int)(u >> (v & 31)), o[13] = min(x, y), o[14] = max(x, y);
    o[15] = (int)__brev(u);
}
KERNEL longs(const long *a, const long *b, long *out, int n) {
    int i = ITEM;
    if (i >= n) return;
    long x = a[i], y = b[i], *o = out + 8 * i;
    o[0] = x + y, o[1] = x - y, o[2] = x * y, o[3] = y ? x / y : 0, o[4] = y ? (long)((unsigned long)x % (unsigned long)y) : 0;
    o[5] = x << (y & 63), o[6] = x >> (y & 63), o[7] = x < y;
}
KERNEL floats(const float *a, const float *b, float *out, int n) {
    int i = ITEM;
    if (i >= n) return;
    float x = a[i], y = b[i], *o = out + 16 * i;
    o[0] = x + y, o[1] = x * y, o[2] = x / y, o[3] = sqrtf(fabsf(x)), o[4] = fmaf(x, y, 1.5f), o[5] = floorf(x);
    o[6] = fminf(x, y), o[7] = fmaxf(x, y), o[8] = truncf(x), o[9] = rintf(x), o[10] = (float)(int)x;
    o[11] = copysignf(x, y), o[12] = ldexpf(x, 3), o[13] = ceilf(x), o[14] = x < y ? 1.f : 0.f, o[15] = roundf(x);
}
KERNEL functions(const float *a, float *out, int n) {
    int i = ITEM;
    if (i >= n) return;
    float x = a[i], *o = out + 8 * i;
    o[0] = expf(x), o[1] = logf(fabsf(x)), o[2] = sinf(x), o[3] = cosf(x), o[4] = tanhf(x), o[5] = powf(fabsf(x), 1.7f);
    o[6] = erff(x), o[7] = rsqrtf(fabsf(x));
}
KERNEL doubles(const double *a, const double *b, double *out, int n) {
    int i = ITEM;
    if (i >= n) return;
    double x = a[i], y = b[i], *o = out + 8 * i;
    o[0] = x + y, o[1] = x * y, o[2] = x / y, o[3] = sqrt(fabs(x)), o[4] = exp(x), o[5] = sin(x), o[6] = fma(x, y, 0.5), o[7] = floor(x);
}
KERNEL halves(const __half *a, const __half *b, __half *out, int n) {
    int i = ITEM;
    if (i >= n) return;
    __half x = a[i], y = b[i], *o = out + 4 * i;
    o[0] = __hadd(x, y), o[1] = __hmul(x, y), o[2] = __hfma(x, y, x), o[3] = __float2half(__half2float(x) / 3.f);
}
KERNEL half_pairs(const __half2 *a, const __half2 *b, __half2 *out, int n) {
    int i = ITEM;
    if (i < n) out[i] = __hfma2(a[i], b[i], __hadd2(a[i], b[i]));
}
KERNEL bytes(const unsigned char *a, const signed char *b, short *out, int n) {
    int i = ITEM;
    if (i < n) out[i] = (short)(a[i] * b[i] + (a[i] >> 3));
}
KERNEL matmul(const float *a, const float *b, float *c, int n) {
    __shared__ float as[16][16], bs[16][17];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float sum = 0;
    for (int t = 0; t < n / 16; t++) {
        as[threadIdx.y][threadIdx.x] = a[y * n + t * 16 + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(t * 16 + threadIdx.y) * n + x];
        __syncthreads();
        for (int k = 0; k < 16; k++) sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
        __syncthreads();
    }
    c[y * n + x] = sum;
}
KERNEL reduce(const int *a, int *out, int n) {
    __shared__ int partial[16];
    int sum = 0;
    for (int i = ITEM; i < n; i += gridDim.x * blockDim.x) sum += a[i];
    for (int step = warpSize / 2; step; step /= 2) sum += __shfl_down(sum, step);
    if (threadIdx.x % warpSize == 0) partial[threadIdx.x / warpSize] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned w = 1; w < blockDim.x / warpSize; w++) sum += partial[w];
        atomicAdd(out, sum);
    }
}
KERNEL lanes(int *out) {
    int lane = threadIdx.x % warpSize, *o = out + 8 * threadIdx.x;
    o[0] = __shfl_xor(lane * 3, 5), o[1] = __shfl_up(lane, 3), o[2] = __shfl(lane, 7), o[3] = __popcll(__ballot(lane % 3 == 0));
    o[4] = __any(lane == 9), o[5] = __all(lane < 40), o[6] = warpSize, o[7] = 0;
    if (lane & 1) o[7] = __popcll(__ballot(1));
}
KERNEL atomics(int *counters, float *sum, unsigned long *wide, const int *keys, int n) {
    int i = ITEM;
    if (i >= n) return;
    atomicAdd(&counters[keys[i] & 15], 1);
    atomicMax(&counters[16], keys[i]), atomicMin(&counters[17], keys[i]), atomicXor(&counters[18], keys[i]);
    atomicAdd(sum, 0.5f);
    atomicAdd(wide, (unsigned long)1 << 33);
    int old = counters[19], seen;
    do seen = old, old = atomicCAS(&counters[19], seen, seen + 2);
    while (old != seen);
}
KERNEL shared_swaps(int *out, long *wide) {
    __shared__ int narrow;
    __shared__ long counter;
    if (threadIdx.x == 0) narrow = 3, counter = 5;
    __syncthreads();
    int old = narrow, seen;
    do seen = old, old = atomicCAS(&narrow, seen, seen * 3 + 1);
    while (old != seen && old < 1000);
    unsigned long was = counter, now;
    do now = was, was = atomicCAS((unsigned long *)&counter, now, now + (1ul << 33));
    while (was != now);
    __syncthreads();
    out[threadIdx.x] = narrow, wide[threadIdx.x] = counter;
}
KERNEL shared_histogram(const unsigned char *a, unsigned *out, int n) {
    __shared__ unsigned bins[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) bins[i] = 0;
    __syncthreads();
    for (int i = ITEM; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[a[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&out[i], bins[i]);
}
extern __shared__ int dynamic[];
KERNEL reversed(int *a) {
    dynamic[threadIdx.x] = a[ITEM];
    __syncthreads();
    a[ITEM] = dynamic[blockDim.x - 1 - threadIdx.x];
}
__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
KERNEL recursive(int *out) { out[threadIdx.x] = fibonacci(threadIdx.x % 12); }
typedef int (*Function)(int);
__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int squared(int x) { return x * x; }
__device__ Function table[2] = {twice, squared};
KERNEL indirect(int *out) { out[threadIdx.x] = table[threadIdx.x & 1](threadIdx.x); }
KERNEL scratch(int *out, int k) {
    int local[64];
    for (int i = 0; i < 64; i++) local[i] = i * threadIdx.x;
    for (int i = 0; i < 64; i += k) local[(i * 7) % 64] += local[i];
    int sum = 0;
    for (int i = 0; i < 64; i++) sum ^= local[(i + k) % 64];
    out[threadIdx.x] = sum;
}
__constant__ float weights[8] = {1, 2, 3, 4, 5, 6, 7, 8};
__device__ int changed = 5;
KERNEL globals(float *out) {
    out[threadIdx.x] = weights[threadIdx.x & 7];
    if (threadIdx.x == 0) atomicAdd(&changed, 1);
}
KERNEL read_changed(int *out) { *out = changed; }
KERNEL speaks(int n) {
    if (threadIdx.x < 2) printf("%d of %d: %s %.2f %c %llu\n", threadIdx.x, n, "text", 1.5f * threadIdx.x, 'x', 1ull << 40);
}
KERNEL collatz(const int *a, int *out, int n) {
    int i = ITEM;
    if (i >= n) return;
    unsigned long x = a[i];
    int steps = 0;
    while (x > 1) x = x & 1 ? 3 * x + 1 : x / 2, steps++;
    out[i] = steps;
}
KERNEL outside(int *a, int at) { a[at + threadIdx.x] = 1; }
KERNEL endless(volatile int *a) {
    while (*a == 0) {}
}
KERNEL look_back(int *flags, int *out) {
    // Each workgroup waits for the one before it.
    if (threadIdx.x == 0) {
        int before = 0;
        if (blockIdx.x) while ((before = atomicAdd(&flags[blockIdx.x - 1], 0)) == 0) {}
        __threadfence();
        atomicExch(&flags[blockIdx.x], before + 1);
    }
    __syncthreads();
    out[ITEM] = flags[blockIdx.x];
}
KERNEL late(int *flags) {
    // The first workgroup waits for the last one.
    if (blockIdx.x == 0) while (atomicAdd(&flags[0], 0) != (int)gridDim.x - 1) {}
    else atomicAdd(&flags[0], 1);
}
KERNEL asserts(int *a) {
    if (a[0] != 7) __builtin_trap();
    a[1] = 1;
}
#ifdef __gfx942__
typedef _Float16 half4 __attribute__((ext_vector_type(4)));
typedef float float4_ __attribute__((ext_vector_type(4)));
typedef float float16_ __attribute__((ext_vector_type(16)));
KERNEL matrix16(const _Float16 *a, const _Float16 *b, float *c) {
    int lane = threadIdx.x;
    half4 x, y;
    for (int i = 0; i < 4; i++) x[i] = a[(lane % 16) * 16 + lane / 16 * 4 + i], y[i] = b[(lane / 16 * 4 + i) * 16 + lane % 16];
    float4_ sum = {0, 0, 0, 0};
    sum = __builtin_amdgcn_mfma_f32_16x16x16f16(x, y, sum, 0, 0, 0);
    for (int i = 0; i < 4; i++) c[(lane / 16 * 4 + i) * 16 + lane % 16] = sum[i];
}
KERNEL matrix32(const float *a, const float *b, float *c) {
    int lane = threadIdx.x;
    float16_ sum;
    for (int i = 0; i < 16; i++) sum[i] = 1;
    sum = __builtin_amdgcn_mfma_f32_32x32x2f32(a[lane % 32 * 2 + lane / 32], b[lane / 32 * 32 + lane % 32], sum, 0, 0, 0);
    for (int i = 0; i < 16; i++) c[(8 * (i / 4) + 4 * (lane / 32) + i % 4) * 32 + lane % 32] = sum[i];
}
KERNEL eight_bits(const int *codes, float *values, const float *numbers, int *made, int n) {
    int i = ITEM;
    if (i >= n) return;
    values[2 * i] = __builtin_amdgcn_cvt_f32_fp8(codes[i], 0), values[2 * i + 1] = __builtin_amdgcn_cvt_f32_bf8(codes[i], 0);
    made[2 * i] = __builtin_amdgcn_cvt_pk_fp8_f32(numbers[i], 1.f, 0, false) & 255;
    made[2 * i + 1] = __builtin_amdgcn_cvt_pk_bf8_f32(numbers[i], 1.f, 0, false) & 255;
}
typedef long bytes8;
typedef int int4_ __attribute__((ext_vector_type(4)));
KERNEL matrix_bytes(const signed char *a, const signed char *b, int *c) {
    int lane = threadIdx.x;
    bytes8 x = 0, y = 0;
    for (int i = 0; i < 8; i++) {
        x |= (bytes8)(unsigned char)a[(lane % 16) * 32 + lane / 16 * 8 + i] << 8 * i;
        y |= (bytes8)(unsigned char)b[(lane / 16 * 8 + i) * 16 + lane % 16] << 8 * i;
    }
    int4_ sum = {0, 0, 0, 0};
    sum = __builtin_amdgcn_mfma_i32_16x16x32_i8(x, y, sum, 0, 0, 0);
    for (int i = 0; i < 4; i++) c[(lane / 16 * 4 + i) * 16 + lane % 16] = sum[i];
}
typedef double double4_ __attribute__((ext_vector_type(4)));
KERNEL matrix_doubles(const double *a, const double *b, double *c) {
    int lane = threadIdx.x;
    double4_ sum = {0, 0, 0, 0};
    sum = __builtin_amdgcn_mfma_f64_16x16x4f64(a[lane % 16 * 4 + lane / 16], b[lane / 16 * 16 + lane % 16], sum, 0, 0, 0);
    for (int i = 0; i < 4; i++) c[(i * 4 + lane / 16) * 16 + lane % 16] = sum[i];
}
#endif
#ifdef __gfx1100__
typedef _Float16 half16 __attribute__((ext_vector_type(16)));
typedef float float8_ __attribute__((ext_vector_type(8)));
typedef int int8_ __attribute__((ext_vector_type(8)));
typedef int int4_ __attribute__((ext_vector_type(4)));
KERNEL wmma(const _Float16 *a, const _Float16 *b, float *c) {
    int lane = threadIdx.x;
    half16 x, y;
    for (int k = 0; k < 16; k++) x[k] = a[lane % 16 * 16 + k], y[k] = b[k * 16 + lane % 16];
    float8_ sum = {};
    sum = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(x, y, sum);
    for (int i = 0; i < 8; i++) c[(2 * i + lane / 16) * 16 + lane % 16] = sum[i];
}
KERNEL wmma_bytes(const int *a, const int *b, int *c) {
    int lane = threadIdx.x;
    int4_ x, y;
    for (int k = 0; k < 4; k++) x[k] = a[lane % 16 * 4 + k], y[k] = b[lane % 16 * 4 + k];
    int8_ sum = {};
    sum = __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32(true, x, false, y, sum, false);
    for (int i = 0; i < 8; i++) c[(2 * i + lane / 16) * 16 + lane % 16] = sum[i];
}
#endif
// Arrays in registers, their places known at run time: for all lanes the same number, or one for each.
KERNEL places(const int *in, const int *numbers, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    typedef int int16_ __attribute__((ext_vector_type(16)));
    int16_ values;
    for (int k = 0; k < 16; k++) values[k] = in[k] * (i + 1);
    int same = numbers[blockIdx.x] & 15, own = numbers[i] & 15;
    values[same] = 1000 + i;
    values[own] += 7;
    out[2 * i] = values[numbers[blockIdx.x + 1] & 15];
    out[2 * i + 1] = values[(own + 3) & 15];
}
#if defined(__GFX9__) || defined(__gfx1100__) || defined(__gfx1201__)
KERNEL swizzled(const int *in, int *out) {
    int lane = threadIdx.x, x = in[lane];
    out[4 * lane] = __builtin_amdgcn_ds_swizzle(x, 0x401f);      // swap with the lane 16 away
    out[4 * lane + 1] = __builtin_amdgcn_ds_swizzle(x, 0x0c17);  // by masks
    out[4 * lane + 2] = __builtin_amdgcn_ds_swizzle(x, 0x801b);  // four lanes backwards
    out[4 * lane + 3] = __builtin_amdgcn_ds_swizzle(x, 0x0018);  // the first of eight for all
}
KERNEL mirrors(const int *in, int *out) {
    int lane = threadIdx.x;
    out[2 * lane] = __builtin_amdgcn_update_dpp(0, in[lane], 0x140, 0xf, 0xf, true) + in[lane];      // row_mirror
    out[2 * lane + 1] = __builtin_amdgcn_update_dpp(0, in[lane], 0x141, 0xf, 0xf, true) + in[lane];  // row_half_mirror
}
#endif
