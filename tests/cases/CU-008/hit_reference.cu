texture<float, 2, cudaReadModeElementType> image;
surface<void, cudaSurfaceType2D> target;

__global__ void read(float *out) { out[threadIdx.x] = 0.f; }
# output
1 build-fail: texture
2 build-fail: surface
