#define LAUNCH(kernel, n, ...) kernel << <(n + 255) / 256, 256 >> >(__VA_ARGS__)
__global__ void add(float* x) {}
inline void run(float* x) { LAUNCH(add, 4, x); }
# output
1 build-fail: << <
