// What the programs share: checked calls, copies to and from the GPU, numbers to begin with, and results as lines
// "label type values" with a digest of what is too long to print.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <type_traits>
#include <vector>

#define CHECK(call)                                                                                      \
    do {                                                                                                 \
        cudaError_t status_ = (call);                                                                    \
        if (status_ != cudaSuccess) {                                                                    \
            std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status_)); \
            std::exit(1);                                                                                \
        }                                                                                                \
    } while (0)

#define CHECK_KERNEL()              \
    do {                            \
        CHECK(cudaGetLastError());  \
        CHECK(cudaDeviceSynchronize()); \
    } while (0)

template <typename T>
T *device_zeros(size_t count) {
    T *data = nullptr;
    CHECK(cudaMalloc(&data, count * sizeof(T)));
    CHECK(cudaMemset(data, 0, count * sizeof(T)));
    return data;
}

template <typename T>
T *to_device(const std::vector<T> &values) {
    T *data = nullptr;
    CHECK(cudaMalloc(&data, values.size() * sizeof(T)));
    CHECK(cudaMemcpy(data, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    return data;
}

template <typename T>
std::vector<T> to_host(const T *data, size_t count) {
    std::vector<T> values(count);
    CHECK(cudaMemcpy(values.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
}

// Marsaglia's xorshift: the same numbers on every machine.
struct Random {
    uint32_t state;
    explicit Random(uint32_t seed = 1) : state(seed * 2654435761u + 1u) {}
    uint32_t next() {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        return state;
    }
    float uniform(float low = 0.0f, float high = 1.0f) { return low + (high - low) * (float)(next() >> 8) / 16777216.0f; }
    unsigned long long next_long() {
        unsigned long long high = next();
        return high << 32 | next();
    }
    int below(int limit) { return (int)(next() % (uint32_t)limit); }
};

inline std::vector<float> random_floats(size_t count, float low, float high, uint32_t seed = 1) {
    Random random(seed);
    std::vector<float> values(count);
    for (float &value : values) value = random.uniform(low, high);
    return values;
}

inline std::vector<int> random_ints(size_t count, int limit, uint32_t seed = 1) {
    Random random(seed);
    std::vector<int> values(count);
    for (int &value : values) value = random.below(limit);
    return values;
}

inline void show_number(float value) { std::printf(" %.9g", (double)value); }
inline void show_number(double value) { std::printf(" %.17g", value); }
template <typename T>
void show_number(T value) {
    if (std::is_signed<T>::value) std::printf(" %lld", (long long)value);
    else std::printf(" %llu", (unsigned long long)value);
}

template <typename T>
const char *type_name() {
    if (std::is_floating_point<T>::value) return sizeof(T) == 4 ? "f32" : "f64";
    return "int";
}

template <typename T>
void show(const char *label, const T *values, size_t count) {
    const size_t shown = count <= 16 ? count : 16;
    std::printf("%s %s", label, type_name<T>());
    for (size_t i = 0; i < shown; ++i) show_number(values[count <= 16 ? i : i * (count - 1) / 15]);
    std::printf("\n");
    if (count <= 16) return;
    if (std::is_floating_point<T>::value) {  // the sum, and the sum of magnitudes, to which its error is relative
        double sum = 0, magnitude = 0;
        for (size_t i = 0; i < count; ++i) {
            sum += (double)values[i];
            magnitude += std::fabs((double)values[i]);
        }
        std::printf("%s.sum %s %.17g %.17g\n", label, type_name<T>(), sum, magnitude);
    } else {
        unsigned long long hash = 14695981039346656037ull;
        for (size_t i = 0; i < count; ++i) hash = (hash ^ (unsigned long long)values[i]) * 1099511628211ull;
        std::printf("%s.hash int %llu\n", label, hash);
    }
}

template <typename T>
void show(const char *label, const std::vector<T> &values) {
    show(label, values.data(), values.size());
}

template <typename T, typename = typename std::enable_if<std::is_arithmetic<T>::value>::type>
void show(const char *label, T value) {
    show(label, &value, 1);
}
