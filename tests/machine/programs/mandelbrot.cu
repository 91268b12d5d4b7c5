// The Mandelbrot set in fixed point of 64 bits, so that every machine finds the same, and in doubles by area.
#include "common.h"

__device__ long long fixed_times(long long a, long long b) { return (a * b) >> 28; }

__global__ void fixed(unsigned char *out, int width, int height, int limit) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const long long one = 1ll << 28;
    long long cr = -2 * one - one / 4 + 3 * one * x / width, ci = -one - one / 4 + 5 * one / 2 * y / height, zr = 0, zi = 0;
    int steps = 0;
    while (steps < limit) {
        long long rr = fixed_times(zr, zr), ii = fixed_times(zi, zi);
        if (rr + ii > 4 * one) break;
        zi = 2 * fixed_times(zr, zi) + ci;
        zr = rr - ii + cr;
        ++steps;
    }
    out[y * width + x] = (unsigned char)steps;
}

__global__ void area(unsigned *inside, int width, int height, int limit) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width * height) return;
    // Dyadic starts and few steps: no rounding, so the count is exact.
    double cr = -2.0 + (i % width) / 32.0, ci = -1.0 + (i / width) / 32.0, zr = 0, zi = 0;
    int steps = 0;
    for (; steps < limit && zr * zr + zi * zi <= 4.0; ++steps) {
        double next = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci;
        zr = next;
    }
    if (steps == limit) atomicAdd(inside, 1u);
}

int main() {
    const int width = 160, height = 120;
    unsigned char *out = device_zeros<unsigned char>(width * height);
    unsigned *inside = device_zeros<unsigned>(1);
    fixed<<<dim3((width + 15) / 16, (height + 7) / 8), dim3(16, 8)>>>(out, width, height, 100);
    area<<<(96 * 64 + 63) / 64, 64>>>(inside, 96, 64, 4);
    CHECK_KERNEL();
    show("steps", to_host(out, width * height));
    show("inside", to_host(inside, 1));
    return 0;
}
