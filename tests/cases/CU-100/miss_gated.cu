#if 0
__global__ void scale(float *x);
#endif
int cudaDevices = 1;
# output
