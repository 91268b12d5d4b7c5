// Tiles of 32 throughout.
// kind: none
// run: sums<<<1, 128>>>(in: int[128] = 1, out: int[4])
// gives: out = [32] * 4
// at 64: same
// ---- original
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void sums(const int* in, int* out) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  int v = in[threadIdx.x];
  for (int d = tile.size() / 2; d > 0; d /= 2) v += tile.shfl_down(v, d);
  if (tile.thread_rank() == 0) out[tile.meta_group_rank()] = v;
}
