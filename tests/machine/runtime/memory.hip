#include "check.h"
#include <vector>
__device__ int table[4] = {1, 2, 3, 4};
__constant__ float factor = 2;
__managed__ int shared_count = 7;
__global__ void use(int *out) {
  int i = threadIdx.x;
  out[i] = table[i % 4] * (int)factor;
  if (i == 0) shared_count += 1;
  table[i % 4] = 9;
}
__global__ void rows(char *p, size_t pitch, int width, int height) {
  for (int i = threadIdx.x; i < width * height; i += blockDim.x) p[i / width * pitch + i % width] += 1;
}
int main() {
  // Symbols: read and written from both sides, with offsets and limits.
  int *out, host[64], part[2] = {30, 40}, *where;
  size_t size;
  FINE(hipMalloc(&out, sizeof host));
  FINE(hipMemcpyToSymbol(HIP_SYMBOL(table), part, sizeof part, 8));
  FINE(hipGetSymbolSize(&size, HIP_SYMBOL(table)));
  CHECK(size == 16);
  FINE(hipGetSymbolAddress((void **)&where, HIP_SYMBOL(table)));
  use<<<1, 64>>>(out);
  FINE(hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost));
  CHECK(host[0] == 2 && host[1] == 4 && host[2] == 60 && host[3] == 80 && shared_count == 8);
  int back[4];
  FINE(hipMemcpyFromSymbol(back, HIP_SYMBOL(table), 16));
  CHECK(back[0] == 9 && back[3] == 9);
  GIVES(hipErrorInvalidValue, hipMemcpyToSymbol(HIP_SYMBOL(table), back, 16, 8));
  // Pitched memory, two and three dimensions, with a hole behind each row.
  char *pitched;
  size_t pitch;
  FINE(hipMallocPitch((void **)&pitched, &pitch, 100, 30));
  CHECK(pitch >= 100 && pitch % 64 == 0);
  std::vector<char> from(100 * 30), to(120 * 30, 77);
  for (int i = 0; i < 3000; i++) from[i] = i % 50;
  FINE(hipMemcpy2D(pitched, pitch, from.data(), 100, 100, 30, hipMemcpyHostToDevice));
  rows<<<1, 128>>>(pitched, pitch, 100, 30);
  FINE(hipMemcpy2D(to.data(), 120, pitched, pitch, 100, 30, hipMemcpyDeviceToHost));
  for (int y = 0; y < 30; y++)
    for (int x = 0; x < 120; x++) CHECK(to[y * 120 + x] == (x < 100 ? from[y * 100 + x] + 1 : 77));
  GIVES(hipErrorInvalidPitchValue, hipMemcpy2D(pitched, 50, from.data(), 100, 100, 30, hipMemcpyHostToDevice));
  FINE(hipMemset2D(pitched, pitch, 5, 10, 30));
  FINE(hipMemcpy2D(to.data(), 120, pitched, pitch, 100, 30, hipMemcpyDeviceToHost));
  CHECK(to[0] == 5 && to[9] == 5 && to[10] == from[10] + 1);
  hipPitchedPtr box;
  FINE(hipMalloc3D(&box, make_hipExtent(10, 4, 3)));
  FINE(hipMemset3D(box, 3, make_hipExtent(10, 4, 3)));
  hipMemcpy3DParms parameters = {};
  char flat[10 * 4 * 3] = {};
  parameters.srcPtr = box, parameters.dstPtr = make_hipPitchedPtr(flat, 10, 10, 4);
  parameters.extent = make_hipExtent(10, 4, 3), parameters.kind = hipMemcpyDeviceToHost;
  FINE(hipMemcpy3D(&parameters));
  for (char c : flat) CHECK(c == 3);
  FINE(hipMemsetD32(out, 0x01020304, 64));
  FINE(hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost));
  CHECK(host[63] == 0x01020304);
  // What a pointer is.
  hipPointerAttribute_t about;
  int *managed, *pinned, plain[4];
  FINE(hipMallocManaged(&managed, 64));
  FINE(hipHostMalloc(&pinned, 64));
  FINE(hipPointerGetAttributes(&about, out + 3));
  CHECK(about.type == hipMemoryTypeDevice);
  FINE(hipPointerGetAttributes(&about, managed));
  CHECK(about.type == hipMemoryTypeManaged);
  FINE(hipPointerGetAttributes(&about, pinned));
  CHECK(about.type == hipMemoryTypeHost);
  GIVES(hipErrorInvalidValue, hipPointerGetAttributes(&about, plain));
  FINE(hipHostRegister(plain, sizeof plain, 0));
  GIVES(hipErrorHostMemoryAlreadyRegistered, hipHostRegister(plain, sizeof plain, 0));
  use<<<1, 4>>>(plain);
  FINE(hipDeviceSynchronize());
  CHECK(plain[0] == 18);
  FINE(hipHostUnregister(plain));
  GIVES(hipErrorHostMemoryNotRegistered, hipHostUnregister(plain));
  // Limits and mistakes.
  void *huge = &about;
  GIVES(hipErrorOutOfMemory, hipMalloc(&huge, 1ull << 45));
  CHECK(huge == nullptr);
  GIVES(hipErrorInvalidValue, hipMemcpy(out, host, sizeof host + 4, hipMemcpyHostToDevice));
  GIVES(hipErrorInvalidValue, hipMemset(out + 1, 0, sizeof host));
  GIVES(hipErrorInvalidValue, hipFree(out + 1));
  GIVES(hipErrorInvalidValue, hipFree(pinned + 1));
  size_t left, total;
  FINE(hipMemGetInfo(&left, &total));
  CHECK(left > 0 && left <= total);
  FINE(hipFree(nullptr));
  FINE(hipFree(out));
  GIVES(hipErrorInvalidValue, hipFree(out));
  FINE(hipHostFree(pinned));
  FINE(hipMallocAsync((void **)&out, 64, 0));
  FINE(hipFreeAsync(out, 0));
  puts("memory: fine");
}
