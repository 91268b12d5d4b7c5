__global__ void chase(void **start, unsigned long long *out) {
    void **at = start + threadIdx.x;
    asm volatile("ld.global.nc.b64 %0, [%0];" : "+l"(at) : : "memory");
    unsigned long long number = *out;
    asm volatile("ld.global.b64 %0, [%0];" : "+l"(number) : : "memory");
    *out = number + (unsigned long long)at;
}
// ---- HIP ----
#include "rewarp_hip.h"
__global__ void chase(void **start, unsigned long long *out) {
    void **at = start + threadIdx.x;
    at = rewarp_ptx::as<decltype(at)>(rewarp_ptx::load<unsigned long long, rewarp_ptx::Plain>(rewarp_ptx::generic(at)));
    unsigned long long number = *out;
    number = rewarp_ptx::as<decltype(number)>(rewarp_ptx::load<unsigned long long, rewarp_ptx::Plain>(rewarp_ptx::generic(number)));
    *out = number + (unsigned long long)at;
}
