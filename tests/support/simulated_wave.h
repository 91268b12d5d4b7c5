// A wave of 64 or 32 lanes on the CPU, in place of HIP's headers: rewarp_hip.h's warp functions run on it as they are.
// Each lane is a fiber. A function that works across lanes stops its lane; once every lane has stopped or ended, the
// lanes that stopped at one place go on together. Lanes at __any and __all wait for the others: these are the
// conditions of loops, where a GPU brings back together the lanes that went different ways inside.
#pragma once
#include <math.h>
#include <stddef.h>
#include <ucontext.h>

#include <functional>
#include <vector>

#define __host__
#define __device__
#define __HIP__ 1
#define __HIP_PLATFORM_AMD__ 1
#define __HIPCC_RTC__ 1  // no headers but this one
#define HIP_VERSION 70100000

namespace simulation {
struct Lane {
  ucontext_t context;
  std::vector<char> stack = std::vector<char>(64 * 1024);
  bool ended = false;
  int place = 0;
  long long operand = 0;
  std::vector<long long> operands;  // of the lanes that go on together; an absent lane has none
  std::vector<bool> present;
};
const int loop_condition = -1000000;  // lowest of the places: plus the line
inline std::vector<Lane> lanes;
inline int current = 0;
inline ucontext_t scheduler;
inline std::function<void(int)> program;

inline void lane_main() {
  program(current);
  lanes[current].ended = true;
}
// Gives the operands of all lanes that are at the same place.
inline const Lane& meet(int place, long long operand) {
  Lane& me = lanes[current];
  me.place = place;
  me.operand = operand;
  swapcontext(&me.context, &scheduler);
  return me;
}
inline void run(int wave_size, const std::function<void(int)>& code) {
  program = code;
  lanes = std::vector<Lane>(wave_size);
  for (Lane& lane : lanes) {
    getcontext(&lane.context);
    lane.context.uc_stack.ss_sp = lane.stack.data();
    lane.context.uc_stack.ss_size = lane.stack.size();
    lane.context.uc_link = &scheduler;
    makecontext(&lane.context, lane_main, 0);
  }
  for (;;) {
    int chosen = loop_condition - 1;
    for (const Lane& lane : lanes)
      if (!lane.ended && lane.place > chosen) chosen = lane.place;
    if (chosen < loop_condition) return;
    std::vector<long long> operands;
    std::vector<bool> present;
    for (const Lane& lane : lanes) {
      operands.push_back(lane.operand);
      present.push_back(!lane.ended && lane.place == chosen);
    }
    for (size_t i = 0; i < lanes.size(); ++i) {
      if (!present[i]) continue;
      lanes[i].operands = operands;
      lanes[i].present = present;
      current = static_cast<int>(i);
      swapcontext(&scheduler, &lanes[i].context);
    }
  }
}
inline unsigned long long ballot(int place, bool predicate) {
  const Lane& met = meet(place, predicate);
  unsigned long long bits = 0;
  for (size_t i = 0; i < met.present.size(); ++i)
    if (met.present[i] && met.operands[i]) bits |= 1ull << i;
  return bits;
}
inline bool any(int line, bool predicate) { return ballot(loop_condition + line, predicate) != 0; }
inline bool all(int line, bool predicate) { return ballot(loop_condition + line, !predicate) == 0; }
inline int permute(int place, int address, int value) {
  const Lane& met = meet(place, value);
  const size_t lane = static_cast<size_t>(address / 4) % met.present.size();
  return met.present[lane] ? static_cast<int>(met.operands[lane]) : 0;  // as the hardware: 0 from a lane that is away
}
inline int first(int place, int value) {
  const Lane& met = meet(place, value);
  for (size_t i = 0; i < met.present.size(); ++i)
    if (met.present[i]) return static_cast<int>(met.operands[i]);
  return value;
}
}  // namespace simulation

struct char4 {
  signed char x, y, z, w;
};
struct uchar4 {
  unsigned char x, y, z, w;
};
struct float2 {
  float x, y;
};
struct double2 {
  double x, y;
};
struct float4 {
  float x, y, z, w;
};
struct double4 {
  double x, y, z, w;
};
inline float2 make_float2(float x, float y) { return {x, y}; }
inline double2 make_double2(double x, double y) { return {x, y}; }
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
inline long long wall_clock64() { return 0; }
inline unsigned __lane_id() { return static_cast<unsigned>(simulation::current); }
#define __ballot(PREDICATE) simulation::ballot(__LINE__, PREDICATE)
#define __any(PREDICATE) simulation::any(__LINE__, PREDICATE)
#define __all(PREDICATE) simulation::all(__LINE__, PREDICATE)
#define __builtin_amdgcn_ds_bpermute(ADDRESS, VALUE) simulation::permute(__LINE__, ADDRESS, VALUE)
#define __builtin_amdgcn_readfirstlane(VALUE) simulation::first(__LINE__, VALUE)

// The rest of what the header names, never called here.
#define __builtin_amdgcn_fence(ORDER, SCOPE)
#define __builtin_amdgcn_wave_barrier()
#define __threadfence_system()
#define __builtin_amdgcn_s_sleep(UNITS)
#define __builtin_amdgcn_is_shared(POINTER) false
#define __builtin_amdgcn_is_private(POINTER) false
#define __builtin_debugtrap()
#define __builtin_nontemporal_load(POINTER) *(POINTER)
#define __builtin_nontemporal_store(VALUE, POINTER) *(POINTER) = (VALUE)
#define __HIP_MEMORY_SCOPE_SYSTEM 0
#define __HIP_MEMORY_SCOPE_WORKGROUP 0
#define __HIP_MEMORY_SCOPE_AGENT 0
#define __hip_atomic_compare_exchange_strong(ADDRESS, EXPECTED, DESIRED, SUCCESS, FAILURE, SCOPE) true
