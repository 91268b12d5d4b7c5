// Runs PTX instructions and what they become for AMD side by side, on an NVIDIA GPU: edge values in all combinations,
// then random ones. Prints FAIL with the first difference of each; exits 1 if there is one. From the repository's root:
//   python tests/support/ptx_cases.py cuda > ptx.cu && nvcc -std=c++17 -O1 -fmad=false -arch=native
//   -I tests/support -I src/rewarp/translation/support ptx.cu -o ptx && ./ptx
#include <cuda_runtime.h>
#include <math_constants.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#define REWARP_HIP_PORTABLE_ONLY
#include "rewarp_hip.h"

typedef unsigned long long Word;

__device__ const Word edges[] = {
    0x0ull, 0x1ull, 0x2ull, 0x3ull, 0x8ull, 0x1full, 0x20ull, 0x21ull, 0x3full, 0x40ull, 0x7full, 0x80ull, 0xffull,
    0x100ull, 0x3210ull, 0x3f80ull, 0x3c00ull, 0x7bffull, 0x7c00ull, 0x7c01ull, 0x7f80ull, 0x7fffull, 0x8000ull,
    0x8001ull, 0xbc00ull, 0xfc00ull, 0xffffull, 0x7fffffull, 0x800000ull, 0x33800000ull, 0x33800001ull, 0x387fe000ull,
    0x3effffffull, 0x3f000000ull, 0x3f800000ull, 0x40200000ull, 0x437f8000ull, 0x43808000ull, 0x477fefffull,
    0x477ff000ull, 0x4f000000ull, 0x5f000000ull, 0x7f7fffffull, 0x7f800000ull, 0x7f800001ull, 0x7fffffffull,
    0x80000000ull, 0x80000001ull, 0xbf000000ull, 0xbf800000ull, 0xc1200000ull, 0xff800000ull, 0xffffffffull,
    0x100000000ull, 0x3ff0000000000000ull, 0x41dfffffffc00000ull, 0x43e0000000000000ull, 0x7ff0000000000000ull,
    0x7ff8000000000000ull, 0x7fffffffffffffffull, 0x8000000000000000ull, 0xbff8000000000000ull, 0xffffffffffffffffull};
constexpr Word edge_count = sizeof(edges) / sizeof(edges[0]);
constexpr Word edge_inputs = edge_count * edge_count * edge_count, random_inputs = 1ull << 20;

__device__ inline Word mixed(Word x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

struct Input {
  Word word[4];
  template <typename T>
  __device__ T take(int index) const {
    T value;
    memcpy(&value, &word[index & 3], sizeof(T));
    return value;
  }
};
struct Output {
  Word word[4];
  int count = 0;
  template <typename T>
  __device__ void put(T value) {
    if (value != value) value = static_cast<T>(CUDART_NAN_F);  // one NaN is as good as another
    word[count] = 0;
    memcpy(&word[count++], &value, sizeof(T));
  }
  // One or two halves; above infinity is NaN.
  template <typename T>
  __device__ void put_halves(T bits, unsigned infinity) {
    unsigned result = 0;
    for (unsigned shift = 0; shift < 8 * sizeof(T); shift += 16) {
      const unsigned half = bits >> shift & 0xffffu;
      result |= ((half & 0x7fffu) > infinity ? 0x7fffu : half) << shift;
    }
    put(result);
  }
};
struct Found {
  Word count;
  Input input;
  Output theirs, ours;
};

__device__ inline Input input_of(Word i) {
  Input input;
  const bool at_edge = i < edge_inputs;
  for (int at = 0; at < 4; ++at, i = at_edge ? i / edge_count : i) {
    input.word[at] = at_edge ? edges[i % edge_count] : mixed(4 * i + at);
    // Small numbers are shifts and lengths; floats near one have every kind of rounding.
    if (!at_edge && mixed(4 * i + at + 1000) % 3 == 0) input.word[at] &= at == 0 ? 0xffffffffull : 0x7full;
    if (!at_edge && mixed(4 * i + at + 2000) % 4 == 0)
      input.word[at] = 0x3f000000ull + (input.word[at] & 0x89ffffffull);
  }
  return input;
}
template <typename Case>
__global__ void both(Found* found) {
  const Word stride = static_cast<Word>(gridDim.x) * blockDim.x;
  for (Word i = blockIdx.x * blockDim.x + threadIdx.x; i < edge_inputs + random_inputs; i += stride) {
    const Input input = input_of(i);
    Output theirs, ours;
    Case::theirs(input, theirs);
    Case::ours(input, ours);
    bool same = true;
    for (int at = 0; at < theirs.count; ++at) same = same && theirs.word[at] == ours.word[at];
    if (!same && atomicAdd(&found->count, 1ull) == 0) {
      found->input = input;
      found->theirs = theirs;
      found->ours = ours;
    }
  }
}

static Found* found = nullptr;
static int cases = 0, failures = 0;

static void must(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::printf("CUDA: %s\n", cudaGetErrorString(status));
  std::exit(2);
}
template <typename Case>
void compare() {
  if (!found) must(cudaMallocManaged(&found, sizeof(Found)));
  std::memset(static_cast<void*>(found), 0, sizeof(Found));
  both<Case><<<512, 256>>>(found);
  must(cudaDeviceSynchronize());
  ++cases;
  if (!found->count) return;
  ++failures;
  std::printf("FAIL %s: %llu; (%llx, %llx, %llx, %llx) gives", Case::name(), found->count, found->input.word[0],
              found->input.word[1], found->input.word[2], found->input.word[3]);
  for (int i = 0; i < found->theirs.count; ++i)
    std::printf(" %llx, ours %llx", found->theirs.word[i], found->ours.word[i]);
  std::printf("\n");
}
static int finish() {
  std::printf("%d instructions, %d differ\n", cases, failures);
  return failures ? 1 : 0;
}
