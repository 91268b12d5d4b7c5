struct __align__(16) Pixel {
  uchar4 colour;
  float3 place;
};

__global__ void vectors(float4* out, const float4* in, int2* pairs, Pixel* pixels) {
  float4 v = in[threadIdx.x];
  v.x += 1.0f;
  out[threadIdx.x] = make_float4(v.x, v.y, v.z, v.w);
  pairs[threadIdx.x] = make_int2(1, 2);
  longlong2 wide = make_longlong2(3, 4);
  pixels[threadIdx.x].colour = make_uchar4(1, 2, 3, static_cast<unsigned char>(wide.x));
}
// ---- HIP ----
#include <hip/hip_runtime.h>
struct __align__(16) Pixel {
  uchar4 colour;
  float3 place;
};

__global__ void vectors(float4* out, const float4* in, int2* pairs, Pixel* pixels) {
  float4 v = in[threadIdx.x];
  v.x += 1.0f;
  out[threadIdx.x] = make_float4(v.x, v.y, v.z, v.w);
  pairs[threadIdx.x] = make_int2(1, 2);
  longlong2 wide = make_longlong2(3, 4);
  pixels[threadIdx.x].colour = make_uchar4(1, 2, 3, static_cast<unsigned char>(wide.x));
}
