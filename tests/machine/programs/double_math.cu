// The double functions of CUDA's mathematics, each over random numbers where it is well conditioned.
#include "common.h"

__global__ void first_half(const double *a, const double *b, double *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double x = a[i], u = b[i], p = fabs(x) + 0.015625;
    out[0 * n + i] = sin(x);
    out[1 * n + i] = cos(x);
    out[2 * n + i] = tan(0.1 * x);
    out[3 * n + i] = asin(u);
    out[4 * n + i] = acos(u);
    out[5 * n + i] = atan(x);
    out[6 * n + i] = atan2(x, u);
    out[7 * n + i] = sinh(u);
    out[8 * n + i] = cosh(u);
    out[9 * n + i] = tanh(u);
    out[10 * n + i] = asinh(x);
    out[11 * n + i] = acosh(p + 1.5);
    out[12 * n + i] = atanh(0.9 * u);
    out[13 * n + i] = exp(u);
    out[14 * n + i] = exp2(u);
    out[15 * n + i] = exp10(u);
    out[16 * n + i] = expm1(u);
    out[17 * n + i] = log(p + 2.0);
    out[18 * n + i] = log2(p + 2.0);
    out[19 * n + i] = log10(p + 2.0);
    out[20 * n + i] = log1p(p);
    out[21 * n + i] = pow(p, u);
    out[22 * n + i] = sqrt(p);
}

__global__ void second_half(const double *a, const double *b, double *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double x = a[i], u = b[i], p = fabs(x) + 0.015625;
    out[0 * n + i] = rsqrt(p);
    out[1 * n + i] = cbrt(x);
    out[2 * n + i] = hypot(x, u);
    out[3 * n + i] = erf(u);
    out[4 * n + i] = erfc(u);
    out[5 * n + i] = tgamma(p * 0.2 + 1.0);
    out[6 * n + i] = lgamma(p + 3.0);
    out[7 * n + i] = fma(x, u, p);
    out[8 * n + i] = fmod(x, p);
    out[9 * n + i] = remainder(x, p);
    out[10 * n + i] = floor(x);
    out[11 * n + i] = ceil(x);
    out[12 * n + i] = trunc(x);
    out[13 * n + i] = round(x);
    out[14 * n + i] = rint(x);
    out[15 * n + i] = fmin(x, u);
    out[16 * n + i] = fmax(x, u);
    out[17 * n + i] = fdim(x, u);
    out[18 * n + i] = copysign(p, x);
    out[19 * n + i] = scalbn(x, i % 9 - 4);
    out[20 * n + i] = (double)ilogb(p);
    out[21 * n + i] = x / p;
    out[22 * n + i] = 1.0 / x;
}

std::vector<double> widened(const std::vector<float> &values) {
    std::vector<double> result(values.begin(), values.end());
    for (double &value : result) value += value * 1e-9;
    return result;
}

const char *first_names[] = {
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh",
    "exp", "exp2", "exp10", "expm1", "log", "log2", "log10", "log1p", "pow", "sqrt"};
const char *second_names[] = {
    "rsqrt", "cbrt", "hypot", "erf", "erfc", "tgamma", "lgamma", "fma", "fmod", "remainder", "floor", "ceil",
    "trunc", "round", "rint", "fmin", "fmax", "fdim", "copysign", "scalbn", "ilogb", "divide", "reciprocal"};

int main() {
    const int n = 2000, first = 23, second = 23;
    double *a = to_device(widened(random_floats(n, -8, 8, 501))), *b = to_device(widened(random_floats(n, -1, 1, 502))), *out = device_zeros<double>(second * n);
    first_half<<<(n + 127) / 128, 128>>>(a, b, out, n);
    CHECK_KERNEL();
    std::vector<double> values = to_host(out, first * n);
    for (int k = 0; k < first; ++k) show(first_names[k], values.data() + k * n, n);
    second_half<<<(n + 127) / 128, 128>>>(a, b, out, n);
    CHECK_KERNEL();
    values = to_host(out, second * n);
    for (int k = 0; k < second; ++k) show(second_names[k], values.data() + k * n, n);
    return 0;
}
