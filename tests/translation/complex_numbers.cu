#include <cuComplex.h>

__global__ void multiply(cuComplex* a, const cuFloatComplex* b, cuDoubleComplex* c) {
  int i = threadIdx.x;
  a[i] = cuCmulf(a[i], b[i]);
  a[i] = cuCaddf(make_cuFloatComplex(cuCrealf(a[i]), cuCimagf(a[i])), cuConjf(b[i]));
  c[i] = cuCadd(c[i], make_cuDoubleComplex(cuCabs(c[i]), 0.0));
}
// ---- HIP ----
#include <hip/hip_runtime.h>
#include <hip/hip_complex.h>

__global__ void multiply(hipComplex* a, const hipFloatComplex* b, hipDoubleComplex* c) {
  int i = threadIdx.x;
  a[i] = hipCmulf(a[i], b[i]);
  a[i] = hipCaddf(make_hipFloatComplex(hipCrealf(a[i]), hipCimagf(a[i])), hipConjf(b[i]));
  c[i] = hipCadd(c[i], make_hipDoubleComplex(hipCabs(c[i]), 0.0));
}
