// Bits, carries, conversions and packed halves, in one statement or several.
#define LOP3(out, a, b, c, table) asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(out) : "r"(a), "r"(b), "r"(c), "n"(table))

__device__ unsigned bits(unsigned a, unsigned b, int c) {
  unsigned x, y, z;
  LOP3(x, a, b, 0x64006400, (0xf0 & 0xcc) | 0xaa);
  asm("prmt.b32 %0, %1, %2, 0x7531;" : "=r"(y) : "r"(a), "r"(x));
  asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(z) : "r"(x), "r"(y), "r"(c));
  asm("bfe.s32 %0, %1, 4, %2;" : "=r"(c) : "r"(a), "r"(z & 31));
  asm("shl.b32 %0, %0, %1;" : "+r"(z) : "r"(c));
  return z;
}

__device__ void add_wide(unsigned (&sum)[3], const unsigned (&a)[3]) {
  asm("add.cc.u32 %0, %0, %3;\n\t"
      "addc.cc.u32 %1, %1, %4;\n\t"
      "addc.u32 %2, %2, %5;"
      : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]));
}

// The second instruction reads what the first may have overwritten: asm takes its inputs before it begins.
__device__ void bytes_to_halves(unsigned& low, unsigned& high, unsigned& bytes) {
  asm volatile(
      "prmt.b32 %0, %2, 0x64, 0x4140;"
      "prmt.b32 %1, %2, 0x64, 0x4342;"
      : "=r"(low), "=r"(high)
      : "r"(bytes));
}

__device__ unsigned halves(float a, float b, unsigned scale) {
  unsigned packed, result;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(a), "f"(b));
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(a), "f"(b));
  asm volatile("fma.rn.f16x2 %0, %1, %2, %3;\n" : "=r"(result) : "r"(packed), "r"(scale), "r"(0xd480d480));
  asm("max.NaN.bf16x2 %0, %0, %1;" : "+r"(result) : "r"(packed));
  return result;
}

__device__ int quantized(float x) {
  int q;
  asm volatile("cvt.rni.sat.s8.f32 %0, %1;" : "=r"(q) : "f"(x));
  return q;
}

__device__ unsigned long long pair(unsigned low, float high, double* whole) {
  unsigned long long both;
  asm("mov.b64 %0, {%1, %2};" : "=l"(both) : "r"(low), "f"(high));
  asm("mov.b64 {%0, %1}, %2;" : "=r"(low), "=f"(high) : "d"(*whole));
  return both + low;
}

__device__ float scanned(float input, int offset, int clamp) {
  float output;
  asm volatile(
      "{"
      "  .reg .f32 r0;"
      "  .reg .pred p;"
      "  shfl.sync.up.b32 r0|p, %1, %2, %3, 0xffffffff;"
      "  @p add.f32 r0, r0, %4;"
      "  mov.f32 %0, r0;"
      "}"
      : "=f"(output)
      : "f"(input), "r"(offset), "r"(clamp), "f"(input));
  return output;
}

__global__ void kernel(unsigned* u, float* f, double* d) {
  unsigned sum[3] = {u[0], u[1], u[2]}, more[3] = {u[3], u[4], u[5]};
  add_wide(sum, more);
  bytes_to_halves(u[0], u[1], u[0]);
  u[2] = bits(u[0], sum[0], sum[1]) + halves(f[0], f[1], sum[2]) + quantized(f[2]);
  f[3] = scanned(f[4], 1, 0);
  u[6] = static_cast<unsigned>(pair(u[7], f[5], d));
}
// ---- HIP ----
// Bits, carries, conversions and packed halves, in one statement or several.
#include "rewarp_hip.h"
#define LOP3(out, a, b, c, table) out = rewarp_ptx::lop3<(table)>(a, b, c)

__device__ unsigned bits(unsigned a, unsigned b, int c) {
  unsigned x, y, z;
  LOP3(x, a, b, 0x64006400, (0xf0 & 0xcc) | 0xaa);
  y = rewarp_ptx::prmt(a, x, 0x7531u);
  z = rewarp_ptx::shf_l_wrap(x, y, c);
  c = rewarp_ptx::bfe<int>(a, 4u, z & 31);
  z = rewarp_ptx::shl<unsigned>(z, c);
  return z;
}

__device__ void add_wide(unsigned (&sum)[3], const unsigned (&a)[3]) {
  do {
    rewarp_ptx::Carry ptx_carry;
    const auto ptx_4 = a[1];
    const auto ptx_5 = a[2];
    sum[0] = rewarp_ptx::add_cc<unsigned>(sum[0], a[0], ptx_carry);
    sum[1] = rewarp_ptx::addc<unsigned>(sum[1], ptx_4, ptx_carry);
    sum[2] = rewarp_ptx::addc<unsigned>(sum[2], ptx_5, ptx_carry);
  } while (0);
}

// The second instruction reads what the first may have overwritten: asm takes its inputs before it begins.
__device__ void bytes_to_halves(unsigned& low, unsigned& high, unsigned& bytes) {
  do {
    const auto ptx_2 = bytes;
    low = rewarp_ptx::prmt(ptx_2, 0x64u, 0x4140u);
    high = rewarp_ptx::prmt(ptx_2, 0x64u, 0x4342u);
  } while (0);
}

__device__ unsigned halves(float a, float b, unsigned scale) {
  unsigned packed, result;
  packed = rewarp_ptx::pair<rewarp_ptx::BF16>(a, b, rewarp::Rounding::nearest);
  packed = rewarp_ptx::pair<rewarp_ptx::F16>(a, b, rewarp::Rounding::nearest);
  result = rewarp_ptx::half_fma<rewarp_ptx::F16x2>(packed, scale, 0xd480d480);
  result = rewarp_ptx::half_max_nan<rewarp_ptx::BF16x2>(result, packed);
  return result;
}

__device__ int quantized(float x) {
  int q;
  q = rewarp_ptx::to_integer<signed char>((x), rewarp::Rounding::nearest);
  return q;
}

__device__ unsigned long long pair(unsigned low, float high, double* whole) {
  unsigned long long both;
  both = rewarp_ptx::joined<unsigned long long>(static_cast<unsigned>(low), rewarp_ptx::as<unsigned>(high));
  rewarp_ptx::split<unsigned long long>(rewarp_ptx::as<unsigned long long>(*whole), low, high);
  return both + low;
}

__device__ float scanned(float input, int offset, int clamp) {
  float output;
  do {
    float ptx_r0;
    bool ptx_p;
    ptx_r0 = rewarp_ptx::as<float>(rewarp_ptx::shfl_up(rewarp_ptx::as<unsigned>(input), offset, clamp, ptx_p));
    if (ptx_p) ptx_r0 = rewarp_ptx::fadd<float>(ptx_r0, input);
    output = ptx_r0;
  } while (0);
  return output;
}

__global__ void kernel(unsigned* u, float* f, double* d) {
  unsigned sum[3] = {u[0], u[1], u[2]}, more[3] = {u[3], u[4], u[5]};
  add_wide(sum, more);
  bytes_to_halves(u[0], u[1], u[0]);
  u[2] = bits(u[0], sum[0], sum[1]) + halves(f[0], f[1], sum[2]) + quantized(f[2]);
  f[3] = scanned(f[4], 1, 0);
  u[6] = static_cast<unsigned>(pair(u[7], f[5], d));
}
