#include <curand.h>

curandStatus_t fill(float* uniform, float* normal, size_t count, unsigned long long seed) {
  curandGenerator_t generator;
  curandStatus_t status = curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_PHILOX4_32_10);
  if (status != CURAND_STATUS_SUCCESS) return status;
  curandSetPseudoRandomGeneratorSeed(generator, seed);
  curandSetGeneratorOrdering(generator, CURAND_ORDERING_PSEUDO_BEST);
  curandGenerateUniform(generator, uniform, count);
  curandGenerateNormal(generator, normal, count, 0.0f, 1.0f);
  return curandDestroyGenerator(generator);
}
// ---- HIP ----
#include <hip/hip_runtime.h>
#include <hiprand/hiprand.h>

hiprandStatus_t fill(float* uniform, float* normal, size_t count, unsigned long long seed) {
  hiprandGenerator_t generator;
  hiprandStatus_t status = hiprandCreateGenerator(&generator, HIPRAND_RNG_PSEUDO_PHILOX4_32_10);
  if (status != HIPRAND_STATUS_SUCCESS) return status;
  hiprandSetPseudoRandomGeneratorSeed(generator, seed);
  hiprandSetGeneratorOrdering(generator, HIPRAND_ORDERING_PSEUDO_BEST);
  hiprandGenerateUniform(generator, uniform, count);
  hiprandGenerateNormal(generator, normal, count, 0.0f, 1.0f);
  return hiprandDestroyGenerator(generator);
}
// ---- findings ----
// 5 noted curandCreateGenerator
