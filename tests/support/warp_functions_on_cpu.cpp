// Runs the warp functions of rewarp_hip.h on a simulated wave and compares them with CUDA's rules, spelt out here
// for one warp of 32. Usage: warp_functions_on_cpu; prints a line per check and exits 1 if one failed.
#include "simulated_wave.h"

#include "rewarp_hip.h"

#include <cstdio>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>

static int failures = 0;
static void check(bool ok, const std::string& what) {
  if (!ok) ++failures;
  if (!ok) std::printf("FAIL %s\n", what.c_str());
}
static std::mt19937 random_bits(1);

// Runs the function in lanes where `runs` says so and gives each lane's result.
template <typename T, typename Function>
static std::vector<T> on_wave(int wave, const std::vector<bool>& runs, Function function) {
  std::vector<T> results(wave);
  simulation::run(wave, [&](int lane) {
    if (runs[lane]) results[lane] = function(lane);
  });
  return results;
}

static unsigned warp_bits(const std::vector<bool>& lanes, int warp) {
  unsigned bits = 0;
  for (int i = 0; i < 32; ++i) bits |= static_cast<unsigned>(lanes[warp * 32 + i]) << i;
  return bits;
}
static std::vector<bool> random_lanes(int wave, bool all) {
  std::vector<bool> lanes(wave);
  for (int i = 0; i < wave; ++i) lanes[i] = all || random_bits() % 3 != 0;
  return lanes;
}

// CUDA's rule, in words: lanes work in groups of `width`; a read past the group's end gives one's own value.
static int expected_source(char kind, int lane, int operand, int width) {
  const int start = lane / width * width, place = lane % width;
  switch (kind) {
    case 'i': return start + ((operand % width) + width) % width;
    case 'u': return place >= operand ? lane - operand : lane;
    case 'd': return place + operand < width ? lane + operand : lane;
    default: return (lane ^ operand) < start + width ? lane ^ operand : lane;
  }
}
template <typename T>
static void check_shuffles(int wave, const char* type, T (*make)(unsigned)) {
  const std::vector<bool> everyone(wave, true);
  std::vector<T> values(wave);
  for (T& value : values) value = make(random_bits());
  for (int width = 1; width <= 32; width *= 2) {
    for (int operand = 0; operand < 32; ++operand) {
      for (const char kind : {'i', 'u', 'd', 'x'}) {
        const auto got = on_wave<T>(wave, everyone, [&](int lane) {
          switch (kind) {
            case 'i': return __shfl_sync(0xffffffff, values[lane], operand, width);
            case 'u': return __shfl_up_sync(0xffffffff, values[lane], operand, width);
            case 'd': return __shfl_down_sync(-1, values[lane], operand, width);
            default: return __shfl_xor_sync(0xffffffff, values[lane], operand, width);
          }
        });
        bool right = true;
        for (int lane = 0; lane < wave; ++lane) {
          const int source = lane / 32 * 32 + expected_source(kind, lane % 32, operand, width);
          right &= std::memcmp(&got[lane], &values[source], sizeof(T)) == 0;
        }
        check(right, std::string("shuffle ") + kind + " of " + type + ", wave " + std::to_string(wave) + ", width " +
                         std::to_string(width) + ", operand " + std::to_string(operand));
      }
    }
  }
}
// The instructions that CUDA's functions are made of: the last lane and the segment in one operand, and a predicate.
static void check_ptx_shuffles(int wave) {
  const std::vector<bool> everyone(wave, true);
  for (int width = 1; width <= 32; width *= 2) {
    const unsigned segment = static_cast<unsigned>(32 - width) << 8;
    for (int operand = 0; operand < 32; ++operand) {
      for (const char kind : {'i', 'u', 'd', 'x'}) {
        const auto got = on_wave<int>(wave, everyone, [&](int lane) {
          bool inside = false;
          unsigned from = 0;
          switch (kind) {
            case 'i': from = rewarp_ptx::shfl_idx(lane, operand, segment | 31, inside); break;
            case 'u': from = rewarp_ptx::shfl_up(lane, operand, segment, inside); break;
            case 'd': from = rewarp_ptx::shfl_down(lane, operand, segment | 31, inside); break;
            default: from = rewarp_ptx::shfl_bfly(lane, operand, segment | 31, inside);
          }
          return static_cast<int>(from) * 2 + inside;
        });
        for (int lane = 0; lane < wave; ++lane) {
          const int place = lane % 32, source = expected_source(kind, place, operand, width);
          const bool inside = source != place || operand == 0 || kind == 'i';
          check(got[lane] == (lane / 32 * 32 + source) * 2 + inside,
                std::string("shfl.sync ") + kind + ", wave " + std::to_string(wave) + ", width " +
                    std::to_string(width) + ", operand " + std::to_string(operand));
        }
      }
    }
  }
}
struct Wide {
  double number;
  short tag;
};
static float make_float(unsigned x) { return static_cast<float>(x); }
static short make_short(unsigned x) { return static_cast<short>(x); }
static double make_double(unsigned x) { return x * 1.25; }
static unsigned long long make_long(unsigned x) { return x * 0x100000001ull + 7; }
static Wide make_wide(unsigned x) {
  Wide wide;
  std::memset(&wide, 0, sizeof(wide));
  wide.number = x;
  wide.tag = static_cast<short>(x);
  return wide;
}

static void check_votes(int wave, bool everyone) {
  const auto runs = random_lanes(wave, everyone), predicate = random_lanes(wave, false);
  std::vector<bool> both(wave);
  for (int i = 0; i < wave; ++i) both[i] = runs[i] && predicate[i];
  const auto ballot = on_wave<unsigned>(wave, runs, [&](int i) { return __ballot_sync(0xffffffff, predicate[i]); });
  const auto masked = on_wave<unsigned>(wave, runs, [&](int i) { return __ballot_sync(0x00ff00ffu, predicate[i]); });
  const auto active = on_wave<unsigned>(wave, runs, [&](int) { return rewarp_activemask(); });
  const auto any = on_wave<int>(wave, runs, [&](int i) { return __any_sync(0x0000000fu, predicate[i]); });
  const auto all = on_wave<int>(wave, runs, [&](int i) { return __all_sync(0x0000000fu, predicate[i]); });
  for (int i = 0; i < wave; ++i) {
    if (!runs[i]) continue;
    const unsigned here = warp_bits(runs, i / 32), yes = warp_bits(both, i / 32);
    check(ballot[i] == yes, "ballot");
    check(masked[i] == (yes & 0x00ff00ffu), "ballot with a mask");
    check(active[i] == here, "activemask");
    check(any[i] == ((yes & 15u) != 0), "any");
    check(all[i] == ((here & 15u) == (yes & 15u)), "all");
  }
}

static void check_match(int wave, bool everyone) {
  const auto runs = random_lanes(wave, everyone);
  const unsigned mask = 0xfffffffeu;
  std::vector<double> values(wave);
  for (double& value : values) value = random_bits() % 4 * 0.5;
  values[3] = __builtin_nan("");
  const bool uniform = random_bits() % 2;
  if (uniform)
    for (double& value : values) value = 0.5;
  const auto match = on_wave<unsigned>(wave, runs, [&](int i) { return __match_any_sync(mask, values[i]); });
  const auto all = on_wave<unsigned>(wave, runs, [&](int i) {
    int same = -1;
    const unsigned found = __match_all_sync(mask, values[i], &same);
    check(same == (found != 0), "match_all's flag");
    return found;
  });
  for (int i = 0; i < wave; ++i) {
    if (!runs[i]) continue;
    unsigned same = 0;
    for (int j = i / 32 * 32; j < i / 32 * 32 + 32; ++j)
      if (runs[j] && std::memcmp(&values[i], &values[j], sizeof(double)) == 0) same |= 1u << j % 32;
    check(match[i] == (same & mask), "match_any");
    const unsigned members = warp_bits(runs, i / 32) & mask;
    check(all[i] == ((same & mask) == members ? members : 0u), "match_all");
  }
}

static void check_reduce(int wave, bool everyone) {
  const auto runs = random_lanes(wave, everyone);
  std::vector<unsigned> values(wave);
  for (unsigned& value : values) value = random_bits();
  // Two groups in one warp, as tiles would have them: each lane names its own group.
  const auto mask_of = [&](int lane) { return everyone ? 0xffffffffu : lane % 32 < 8 ? 0xffu : 0xffffff00u; };
  const auto sum = on_wave<unsigned>(wave, runs, [&](int i) { return __reduce_add_sync(mask_of(i), values[i]); });
  const auto least =
      on_wave<int>(wave, runs, [&](int i) { return __reduce_min_sync(mask_of(i), static_cast<int>(values[i])); });
  const auto most = on_wave<unsigned>(wave, runs, [&](int i) { return __reduce_max_sync(mask_of(i), values[i]); });
  const auto bits = on_wave<unsigned>(wave, runs, [&](int i) { return __reduce_xor_sync(mask_of(i), values[i]); });
  for (int i = 0; i < wave; ++i) {
    if (!runs[i]) continue;
    unsigned total = 0, parity = 0, highest = 0;
    int lowest = INT32_MAX;
    for (int j = i / 32 * 32; j < i / 32 * 32 + 32; ++j) {
      if (!runs[j] || !(mask_of(i) >> j % 32 & 1u)) continue;
      total += values[j];
      parity ^= values[j];
      if (values[j] > highest) highest = values[j];
      if (static_cast<int>(values[j]) < lowest) lowest = static_cast<int>(values[j]);
    }
    check(sum[i] == total, "reduce_add");
    check(bits[i] == parity, "reduce_xor");
    check(most[i] == highest, "reduce_max");
    check(least[i] == lowest, "reduce_min");
  }
}

static void check_lane_masks(int wave) {
  on_wave<int>(wave, std::vector<bool>(wave, true), [&](int i) {
    const int lane = i % 32;
    check(rewarp_lane_id() == static_cast<unsigned>(lane), "lane id");
    for (int j = 0; j < 32; ++j) {
      check((rewarp_lanemask_lt() >> j & 1u) == (j < lane), "lanemask_lt");
      check((rewarp_lanemask_le() >> j & 1u) == (j <= lane), "lanemask_le");
      check((rewarp_lanemask_gt() >> j & 1u) == (j > lane), "lanemask_gt");
      check((rewarp_lanemask_ge() >> j & 1u) == (j >= lane), "lanemask_ge");
    }
    return 0;
  });
}

int main() {
  for (const int wave : {64, 32}) {
    check_shuffles(wave, "float", make_float);
    check_shuffles(wave, "short", make_short);
    check_shuffles(wave, "double", make_double);
    check_shuffles(wave, "unsigned long long", make_long);
    check_shuffles(wave, "a struct", make_wide);
    check_lane_masks(wave);
    check_ptx_shuffles(wave);
    for (int turn = 0; turn < 30; ++turn) {
      check_votes(wave, turn % 3 == 0);
      check_match(wave, turn % 3 == 0);
      check_reduce(wave, turn % 3 == 0);
    }
  }
  std::printf(failures ? "%d checks failed\n" : "all checks passed\n", failures);
  return failures != 0;
}
