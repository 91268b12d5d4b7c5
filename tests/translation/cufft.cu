#include <cufft.h>

void transform(cufftComplex* data, cufftReal* real, int nx, int ny, cudaStream_t stream) {
  cufftHandle plan;
  if (cufftPlan2d(&plan, nx, ny, CUFFT_C2C) != CUFFT_SUCCESS) return;
  cufftSetStream(plan, stream);
  cufftExecC2C(plan, data, data, CUFFT_FORWARD);
  cufftExecC2C(plan, data, data, CUFFT_INVERSE);
  cufftDestroy(plan);
  int sizes[] = {nx, ny};
  cufftPlanMany(&plan, 2, sizes, nullptr, 1, 0, nullptr, 1, 0, CUFFT_R2C, 4);
  cufftExecR2C(plan, real, data);
  cufftDoubleComplex z{0.0, 1.0};
  (void)z;
}
// ---- HIP ----
#include <hip/hip_runtime.h>
#include <hipfft/hipfft.h>

void transform(hipfftComplex* data, hipfftReal* real, int nx, int ny, hipStream_t stream) {
  hipfftHandle plan;
  if (hipfftPlan2d(&plan, nx, ny, HIPFFT_C2C) != HIPFFT_SUCCESS) return;
  hipfftSetStream(plan, stream);
  hipfftExecC2C(plan, data, data, HIPFFT_FORWARD);
  hipfftExecC2C(plan, data, data, HIPFFT_BACKWARD);
  hipfftDestroy(plan);
  int sizes[] = {nx, ny};
  hipfftPlanMany(&plan, 2, sizes, nullptr, 1, 0, nullptr, 1, 0, HIPFFT_R2C, 4);
  hipfftExecR2C(plan, real, data);
  hipfftDoubleComplex z{0.0, 1.0};
  (void)z;
}
