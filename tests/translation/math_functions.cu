#include <math_constants.h>

__global__ void mathematics(float* f, double* d) {
  f[0] = __expf(f[1]) + __logf(f[1]) + __sinf(f[1]) + __powf(f[1], 2.0f) + __fdividef(f[1], f[2]);
  f[3] = rsqrtf(f[1]) + erfcxf(f[1]) + normcdff(f[1]) + sinpif(f[1]) + __saturatef(f[1]) + __frcp_rn(f[1]);
  d[0] = rsqrt(d[1]) + cyl_bessel_i0(d[1]) + fma(d[1], d[2], d[3]) + __dadd_rn(d[1], d[2]);
  sincosf(f[4], &f[5], &f[6]);
  f[7] = f[8] > 0 ? CUDART_INF_F : CUDART_NAN_F;
  d[4] = CUDART_PI;
  f[9] = fminf(f[1], f[2]) + max(1, 2) + __fmaf_rn(f[1], f[2], f[3]);
}
// ---- HIP ----
#include <hip/hip_runtime.h>
#include <hip/hip_math_constants.h>

__global__ void mathematics(float* f, double* d) {
  f[0] = __expf(f[1]) + __logf(f[1]) + __sinf(f[1]) + __powf(f[1], 2.0f) + __fdividef(f[1], f[2]);
  f[3] = rsqrtf(f[1]) + erfcxf(f[1]) + normcdff(f[1]) + sinpif(f[1]) + __saturatef(f[1]) + __frcp_rn(f[1]);
  d[0] = rsqrt(d[1]) + cyl_bessel_i0(d[1]) + fma(d[1], d[2], d[3]) + __dadd_rn(d[1], d[2]);
  sincosf(f[4], &f[5], &f[6]);
  f[7] = f[8] > 0 ? HIP_INF_F : HIP_NAN_F;
  d[4] = HIP_PI;
  f[9] = fminf(f[1], f[2]) + max(1, 2) + __fmaf_rn(f[1], f[2], f[3]);
}
