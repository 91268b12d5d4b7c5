// compile: gfx1100, CDNA GPUs have no texture units
#include <cuComplex.h>
#include <cuda_runtime.h>

texture<float, 2, cudaReadModeElementType> picture;
static texture<uchar4, cudaTextureType2D, cudaReadModeNormalizedFloat> colours(1, cudaFilterModeLinear, cudaAddressModeWrap);
texture<cuFloatComplex, 3> left, right;
texture<short2, 1, cudaReadModeNormalizedFloat> curve;
#define CURVE(i) tex1Dfetch(curve, (i))

__global__ void sample(float4* out, cudaTextureObject_t other) {
  float x = threadIdx.x + 0.5f, y = blockIdx.x + 0.5f;
  float2 one = tex3D(left, x, y, 0.0f), two = tex3D<float2>(right, x, y, 0.0f);
  out[threadIdx.x] = tex2D(colours, x, y);
  out[threadIdx.x].y = CURVE(threadIdx.x).y;
  out[threadIdx.x].x += tex2D( picture, x, y) + one.x + two.y + tex2D<float>(other, x, y);
}

cudaError_t bind(const float* pixels, cudaArray_t array, cudaMipmappedArray_t mipmapped, size_t width, size_t height, size_t pitch) {
  size_t offset = 0;
  cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
  picture.normalized = false;
  picture.addressMode[0] = cudaAddressModeClamp;
  picture.filterMode = cudaFilterModeLinear;
  cudaBindTexture2D(&offset, &picture, pixels, &channel, width, height, pitch);
  cudaBindTexture2D(&offset, picture, pixels, channel, width, height, pitch);
  cudaBindTextureToArray(colours, array);
  cudaBindTextureToArray(left, array, channel);
  cudaBindTextureToArray(&right, array, &channel);
  cudaBindTextureToMipmappedArray(left, mipmapped, channel);
  cudaBindTexture(&offset, curve, pixels, channel);
  cudaUnbindTexture(&left);
  return cudaUnbindTexture(picture);
}
// ---- HIP ----
#include "rewarp_hip.h"
#include <hip/hip_complex.h>
#include <hip/hip_runtime.h>

static __device__ hipTextureObject_t picture_object;
static rewarp_texture<float, 2, hipReadModeElementType> picture(picture_object);
static __device__ hipTextureObject_t colours_object;
static rewarp_texture<uchar4, hipTextureType2D, hipReadModeNormalizedFloat> colours(colours_object, 1, hipFilterModeLinear, hipAddressModeWrap);
static __device__ hipTextureObject_t left_object, right_object;
static rewarp_texture<hipFloatComplex, 3> left(left_object), right(right_object);
static __device__ hipTextureObject_t curve_object;
static rewarp_texture<short2, 1, hipReadModeNormalizedFloat> curve(curve_object);
#define CURVE(i) tex1Dfetch<float2>(curve_object, (i))

__global__ void sample(float4* out, hipTextureObject_t other) {
  float x = threadIdx.x + 0.5f, y = blockIdx.x + 0.5f;
  float2 one = tex3D<hipFloatComplex>(left_object, x, y, 0.0f), two = tex3D<float2>(right_object, x, y, 0.0f);
  out[threadIdx.x] = tex2D<float4>(colours_object, x, y);
  out[threadIdx.x].y = CURVE(threadIdx.x).y;
  out[threadIdx.x].x += tex2D<float>( picture_object, x, y) + one.x + two.y + tex2D<float>(other, x, y);
}

hipError_t bind(const float* pixels, hipArray_t array, hipMipmappedArray_t mipmapped, size_t width, size_t height, size_t pitch) {
  size_t offset = 0;
  hipChannelFormatDesc channel = hipCreateChannelDesc<float>();
  picture.normalized = false;
  picture.addressMode[0] = hipAddressModeClamp;
  picture.filterMode = hipFilterModeLinear;
  hipBindTexture2D(&offset, &picture, pixels, &channel, width, height, pitch);
  hipBindTexture2D(&offset, picture, pixels, channel, width, height, pitch);
  hipBindTextureToArray(colours, array);
  hipBindTextureToArray(left, array, channel);
  hipBindTextureToArray(&right, array, &channel);
  hipBindTextureToMipmappedArray(left, mipmapped, channel);
  hipBindTexture(&offset, curve, pixels, channel);
  hipUnbindTexture(&left);
  return hipUnbindTexture(picture);
}
// ---- findings ----
// 4 noted picture
// 5 noted colours
// 6 noted left
// 6 noted right
// 7 noted curve
// 8 unsupported tex1Dfetch
