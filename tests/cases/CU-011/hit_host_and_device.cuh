__host__ __device__ inline unsigned long long join(uint2 v) {
#ifdef __CUDA_ARCH__
    return __double_as_longlong(__hiloint2double(v.y, v.x));
#else
    return ((unsigned long long)v.y << 32) + v.x;
#endif
}

__host__ __device__ inline void add(float* sum, float x) {
#ifdef __CUDA_ARCH__
    atomicAdd(sum, x);
#else
    *sum += x;
#endif
}

__host__ __device__ inline int lane() {
#ifndef __CUDA_ARCH__
    return 0;
#else
    return __laneid();
#endif
}

__host__ __device__ inline void check(bool good) {
#if defined(__CUDA_ARCH__)
    if (!good) report();
#else
    if (!good) throw std::runtime_error("bad");
#endif
}
# output
2 info: #ifdef __CUDA_ARCH__
10 wrong-result: #ifdef __CUDA_ARCH__
18 wrong-result: #ifndef __CUDA_ARCH__
26 build-fail: #if defined(__CUDA_ARCH__)
