#ifdef __CUDACC__
#define HOST_DEVICE __host__ __device__
#else
#define HOST_DEVICE
#endif
HOST_DEVICE int cuda_one();
# output
1 info: __CUDACC__
