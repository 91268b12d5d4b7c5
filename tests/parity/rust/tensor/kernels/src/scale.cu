#define SCALE(TYPE, NAME) \
    extern "C" __global__ void NAME(TYPE *x, float by) { x[threadIdx.x] *= by; }

SCALE(unsigned char, scale_u8)
SCALE(__half, scale_f16)
SCALE(float, scale_f32)
extern "C" __global__ void sort_f32(float *x) {}
extern "C" __global__ void gather_f32(float *x) {}
