#include <GL/gl.h>
#include <cuda_gl_interop.h>

float* map(GLuint buffer, struct cudaGraphicsResource** resource) {
  float* memory;
  size_t bytes;
  cudaGraphicsGLRegisterBuffer(resource, buffer, cudaGraphicsMapFlagsWriteDiscard);
  cudaGraphicsMapResources(1, resource, 0);
  cudaGraphicsResourceGetMappedPointer((void**)&memory, &bytes, *resource);
  return memory;
}
// ---- HIP ----
#include <hip/hip_runtime.h>
#include <GL/gl.h>
#include <hip/hip_runtime_api.h>
#include <hip/hip_gl_interop.h>

float* map(GLuint buffer, hipGraphicsResource** resource) {
  float* memory;
  size_t bytes;
  hipGraphicsGLRegisterBuffer(resource, buffer, hipGraphicsRegisterFlagsWriteDiscard);
  hipGraphicsMapResources(1, resource, 0);
  hipGraphicsResourceGetMappedPointer((void**)&memory, &bytes, *resource);
  return memory;
}
// ---- findings ----
// 7 noted cudaGraphicsMapFlagsWriteDiscard
