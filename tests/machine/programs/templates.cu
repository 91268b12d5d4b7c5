// Classes and templates on the GPU: fixed-size matrices, complex numbers, functors, lambdas, constexpr, variadics.
#include "common.h"

template <typename T, int N>
class Matrix {
  public:
    __host__ __device__ Matrix() : values{} {}
    __host__ __device__ T &operator()(int row, int column) { return values[row * N + column]; }
    __host__ __device__ const T &operator()(int row, int column) const { return values[row * N + column]; }
    __host__ __device__ Matrix operator*(const Matrix &other) const {
        Matrix result;
        for (int i = 0; i < N; ++i)
            for (int j = 0; j < N; ++j)
                for (int k = 0; k < N; ++k) result(i, j) += (*this)(i, k) * other(k, j);
        return result;
    }

  private:
    T values[N * N];
};

template <typename T>
struct Complex {
    T re, im;
    __host__ __device__ Complex operator*(Complex o) const { return {re * o.re - im * o.im, re * o.im + im * o.re}; }
    __host__ __device__ Complex operator+(Complex o) const { return {re + o.re, im + o.im}; }
};

template <int N>
struct Factorial { static constexpr long long value = N * Factorial<N - 1>::value; };
template <>
struct Factorial<0> { static constexpr long long value = 1; };

template <typename T>
__device__ T sum_of(T last) { return last; }
template <typename T, typename... Rest>
__device__ T sum_of(T first, Rest... rest) { return first + (T)sum_of(rest...); }

template <typename T, int N>
__global__ void powers(T *out, int exponent) {
    Matrix<T, N> base, result;
    for (int i = 0; i < N; ++i) {
        result(i, i) = T(1);
        for (int j = 0; j < N; ++j) base(i, j) = T((i * 3 + j * 5 + threadIdx.x) % 7 - 3);
    }
    for (int i = 0; i < exponent; ++i) result = result * base;
    for (int i = 0; i < N * N; ++i) out[threadIdx.x * N * N + i] = result(i / N, i % N);
}

template <typename Function>
__global__ void for_each(int n, Function function) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) function(i);
}

__global__ void constants(long long *out) {
    out[0] = Factorial<15>::value;
    out[1] = sum_of(1ll, 2, 3u, (short)4, (char)5);
    out[2] = sizeof(Matrix<double, 3>);
    Complex<int> i = {0, 1}, z = {2, -3};
    Complex<int> w = i * z + z;
    out[3] = w.re * 1000 + w.im;
}

int main() {
    const int threads = 48, n = 1000;
    int *ints = device_zeros<int>(threads * 9);
    double *doubles = device_zeros<double>(threads * 16);
    powers<int, 3><<<1, threads>>>(ints, 6);
    powers<double, 4><<<1, threads>>>(doubles, 5);
    long long *numbers = device_zeros<long long>(4);
    constants<<<1, 1>>>(numbers);
    CHECK_KERNEL();
    show("ints", to_host(ints, threads * 9));
    show("doubles", to_host(doubles, threads * 16));
    show("constants", to_host(numbers, 4));
    auto *fields = device_zeros<Complex<float>>(n);
    for_each<<<4, 64>>>(n, [fields] __device__(int i) { fields[i] = Complex<float>{1.0f, i * 0.001f} * Complex<float>{0.5f, -1.0f}; });
    CHECK_KERNEL();
    std::vector<float> parts;
    for (Complex<float> z : to_host(fields, n)) parts.push_back(z.re + 2 * z.im);
    show("lambda", parts);
    return 0;
}
