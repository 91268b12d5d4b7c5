// A tile of 32 is right; the raw ballot beside it is the whole wave's.
// kind: GROUPS
// run: counts<<<1, 64>>>(in: int[64] = 1, out: int[2])
// gives: out = [32, 32]
// at 64: wrong result
// ---- original
#if defined(__HIP_PLATFORM_AMD__)
#define BALLOT(P) __ballot(P)
#else
#define BALLOT(P) __ballot_sync(0xffffffff, P)
#endif
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void counts(const int* in, int* out) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  int n = __popcll(BALLOT(in[threadIdx.x]));
  if (tile.thread_rank() == 0) out[tile.meta_group_rank()] = n;
}
// ---- fixed
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void counts(const int* in, int* out) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  int n = __popcll(tile.ballot(in[threadIdx.x]));
  if (tile.thread_rank() == 0) out[tile.meta_group_rank()] = n;
}
