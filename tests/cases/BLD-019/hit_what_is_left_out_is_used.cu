#if CUDA_VERSION >= 11000
#define COPY copy_async
#endif
#if CUDA_VERSION >= 11000
#define HAS_COPY 1
#endif
#if CUDART_VERSION < 9000
#define __ballot_sync(mask, x) __ballot(x)
#endif
#if CUDA_VERSION >= 12000
typedef double4_16a wide;
#else
typedef double4 wide;
#endif
#ifdef HAS_COPY
void g();
#endif
void f(wide* x) { COPY(x); }
# output
1 build-fail: #if CUDA_VERSION >= 11000
4 info: #if CUDA_VERSION >= 11000
7 info: #if CUDART_VERSION < 9000
10 info: #if CUDA_VERSION >= 12000
