// Runs the warp functions of rewarp_hip.h on a simulated wave and compares them with CUDA's rules, spelt out here
// for one warp of 32. Usage: warp_functions_on_cpu; prints a line per check and exits 1 if one failed.
#include "simulated_wave.h"

#include "rewarp_hip.h"

#include <cstdio>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <type_traits>

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

// Every warp multiplies matrices of its own, and where not all warps come by, the one that does is on its own.
template <typename T, typename Sum, int m, int n, int k, typename LayoutA, typename LayoutB>
static void check_matrices(int wave, bool everyone, bool by_rows, const char* type) {
  namespace wmma = nvcuda::wmma;
  using Kept = typename wmma::fragment<wmma::matrix_a, m, n, k, T, LayoutA>::storage_element_type;
  constexpr bool a_by_rows = std::is_same<LayoutA, wmma::row_major>::value;
  constexpr bool b_by_rows = std::is_same<LayoutB, wmma::row_major>::value;
  const int a_stride = (a_by_rows ? k : m) + 3, b_stride = (b_by_rows ? n : k) + 1, c_stride = (by_rows ? n : m) + 2;
  const int warps = wave / 32;
  std::vector<std::vector<Kept>> a(warps, std::vector<Kept>(a_stride * 64)), b(warps, std::vector<Kept>(b_stride * 64));
  std::vector<std::vector<Sum>> c(warps, std::vector<Sum>(c_stride * 64));
  for (int warp = 0; warp < warps; ++warp) {
    for (Kept& x : a[warp]) x = static_cast<Kept>(static_cast<int>(random_bits() % 200) - 100);
    for (Kept& x : b[warp]) x = static_cast<Kept>(static_cast<int>(random_bits() % 200) - 100);
    for (Sum& x : c[warp]) x = static_cast<Sum>(static_cast<int>(random_bits() % 2000) - 1000);
  }
  auto d = c;
  std::vector<bool> runs(wave, everyone);
  for (int lane = wave - 32; lane < wave; ++lane) runs[lane] = true;
  on_wave<int>(wave, runs, [&](int lane) {
    const int warp = lane / 32;
    wmma::fragment<wmma::matrix_a, m, n, k, T, LayoutA> left;
    wmma::fragment<wmma::matrix_b, m, n, k, T, LayoutB> right;
    wmma::fragment<wmma::accumulator, m, n, k, Sum> sum, doubled;
    const auto layout = by_rows ? wmma::mem_row_major : wmma::mem_col_major;
    wmma::load_matrix_sync(left, a[warp].data(), a_stride);
    wmma::load_matrix_sync(right, b[warp].data(), b_stride);
    wmma::load_matrix_sync(sum, c[warp].data(), c_stride, layout);
    wmma::fill_fragment(doubled, Sum(0));
    wmma::mma_sync(doubled, left, right, sum);
    for (int at = 0; at < doubled.num_elements; ++at) doubled.x[at] *= 2;
    wmma::store_matrix_sync(d[warp].data(), doubled, c_stride, layout);
    return 0;
  });
  bool right = true;
  for (int warp = 0; warp < warps; ++warp) {
    for (int row = 0; row < m; ++row) {
      for (int column = 0; column < n; ++column) {
        const int at = by_rows ? row * c_stride + column : column * c_stride + row;
        Sum sum = c[warp][at];
        for (int step = 0; step < k; ++step)
          sum += static_cast<Sum>(a[warp][a_by_rows ? row * a_stride + step : step * a_stride + row]) *
                 static_cast<Sum>(b[warp][b_by_rows ? step * b_stride + column : column * b_stride + step]);
        right &= d[warp][at] == (runs[warp * 32] ? 2 * sum : c[warp][at]);
        d[warp][at] = c[warp][at];
      }
    }
    right &= d[warp] == c[warp];  // nothing else was written
  }
  check(right, std::string("matrices of ") + type + " " + std::to_string(m) + "x" + std::to_string(n) + "x" +
                   std::to_string(k) + ", wave " + std::to_string(wave));
}
template <typename T, typename Sum, int m, int n, int k>
static void check_matrices(int wave, const char* type) {
  using nvcuda::wmma::col_major;
  using nvcuda::wmma::row_major;
  check_matrices<T, Sum, m, n, k, row_major, row_major>(wave, true, true, type);
  check_matrices<T, Sum, m, n, k, row_major, col_major>(wave, false, false, type);
  check_matrices<T, Sum, m, n, k, col_major, row_major>(wave, true, false, type);
  check_matrices<T, Sum, m, n, k, col_major, col_major>(wave, false, true, type);
}
// Ten bits of the fraction stay; halves go away from zero, and what is no number stays what it is.
static void check_tf32() {
  const float low = 1.0f + 1.0f / 2048, next = 1.0f + 1.0f / 1024;
  check(nvcuda::wmma::__float_to_tf32(low) == next && nvcuda::wmma::__float_to_tf32(-low) == -next, "halves in tf32");
  check(nvcuda::wmma::__float_to_tf32(1.0f + 1.0f / 4096) == 1.0f, "rounding down in tf32");
  check(nvcuda::wmma::__float_to_tf32(INFINITY) == INFINITY, "infinity in tf32");
}
static void check_saturation(int wave) {
  namespace wmma = nvcuda::wmma;
  const auto got = on_wave<int>(wave, std::vector<bool>(wave, true), [&](int) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> sum;
    wmma::fill_fragment(left, static_cast<signed char>(-100));
    wmma::fill_fragment(right, static_cast<signed char>(100));
    wmma::fill_fragment(sum, -2147483000);
    wmma::mma_sync(sum, left, right, sum, true);
    return sum.x[3];
  });
  check(got == std::vector<int>(wave, -2147483647 - 1), "saturated sums, wave " + std::to_string(wave));
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
    check_matrices<signed char, int, 16, 16, 16>(wave, "signed char");
    check_matrices<signed char, int, 32, 8, 16>(wave, "signed char");
    check_matrices<signed char, int, 8, 32, 16>(wave, "signed char");
    check_matrices<nvcuda::wmma::precision::tf32, float, 16, 16, 8>(wave, "tf32");
    check_matrices<double, double, 8, 8, 4>(wave, "double");
    check_saturation(wave);
    check_tf32();
    for (int turn = 0; turn < 30; ++turn) {
      check_votes(wave, turn % 3 == 0);
      check_match(wave, turn % 3 == 0);
      check_reduce(wave, turn % 3 == 0);
    }
  }
  std::printf(failures ? "%d checks failed\n" : "all checks passed\n", failures);
  return failures != 0;
}
