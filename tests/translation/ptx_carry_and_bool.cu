// Headers for C may define bool: what is passed by reference is declared without that word.
__device__ uint2 product(uint2 a, uint2 b);
#define bool int

__device__ uint2 product(uint2 a, uint2 b) {
  uint2 r;
  asm("mul.lo.u32 %0, %2, %4;\n\t"
      "mul.hi.u32 %1, %2, %4;\n\t"
      "mad.lo.cc.u32 %1, %3, %4, %1;\n\t"
      "madc.lo.u32 %1, %3, %5, %1;"
      : "=r"(r.x), "=r"(r.y) : "r"(a.x), "r"(a.y), "r"(b.x), "r"(b.y));
  return r;
}
// ---- HIP ----
// Headers for C may define bool: what is passed by reference is declared without that word.
#include "rewarp_hip.h"
__device__ uint2 product(uint2 a, uint2 b);
#define bool int

__device__ uint2 product(uint2 a, uint2 b) {
  uint2 r;
  do {
    rewarp_ptx::Carry ptx_carry;
    const auto ptx_2 = a.x;
    const auto ptx_3 = a.y;
    const auto ptx_4 = b.x;
    const auto ptx_5 = b.y;
    r.x = rewarp_ptx::mul_lo<unsigned>(ptx_2, ptx_4);
    r.y = rewarp_ptx::mul_hi<unsigned>(ptx_2, ptx_4);
    r.y = rewarp_ptx::add_cc<unsigned>(rewarp_ptx::mul_lo<unsigned>(ptx_3, ptx_4), r.y, ptx_carry);
    r.y = rewarp_ptx::addc<unsigned>(rewarp_ptx::mul_lo<unsigned>(ptx_3, ptx_5), r.y, ptx_carry);
  } while (0);
  return r;
}
