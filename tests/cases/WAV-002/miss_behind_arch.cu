#if __CUDA_ARCH__ >= 200
__device__ int kept(bool has) {
    const unsigned int votes = __ballot_sync(0xffffffffu, has);
    return __popc(votes);
}
#else
__device__ int kept(bool has) {
    return has;
}
#endif
# output
