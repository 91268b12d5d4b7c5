// compile: no, another file defines ON_DEVICE
// path: lanes.hpp
#pragma once

ON_DEVICE inline unsigned lane() {
  unsigned id;
  asm("mov.u32 %0, %laneid;" : "=r"(id));
  return id;
}

#define SHIFTED(type, direction)                                                        \
  ON_DEVICE inline type shifted_##direction(type x, int by) {                           \
    type result;                                                                        \
    asm("shfl." #direction ".b32 %0, %1, %2, 31;" : "=r"(result) : "r"(x), "r"(by));   \
    return result;                                                                      \
  }

#define ADD_PAIRS(address, x)                                \
  asm volatile(                                              \
      "red.global.add.noftz.f16x2 [%0], %1;" ::"l"(address), \
      "r"(x))

inline void pause() { asm volatile("pause" ::: "memory"); }
inline void square(float* x) { asm volatile("vmul.f32 q0, q0, q0" : : "r"(x) : "q0"); }
// ---- HIP ----
#pragma once
#include "rewarp_hip.h"

ON_DEVICE inline unsigned lane() {
  unsigned id;
  id = rewarp_lane_id();
  return id;
}

#define SHIFTED(type, direction)                                                        \
  ON_DEVICE inline type shifted_##direction(type x, int by) {                           \
    type result;                                                                        \
    asm("shfl." #direction ".b32 %0, %1, %2, 31;" : "=r"(result) : "r"(x), "r"(by));   \
    return result;                                                                      \
  }

#define ADD_PAIRS(address, x)                                \
  asm volatile(                                              \
      "red.global.add.noftz.f16x2 [%0], %1;" ::"l"(address), \
      "r"(x))

inline void pause() { asm volatile("pause" ::: "memory"); }
inline void square(float* x) { asm volatile("vmul.f32 q0, q0, q0" : : "r"(x) : "q0"); }
// ---- findings ----
// 12 unsupported
// 17 unsupported
