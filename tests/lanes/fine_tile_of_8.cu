// Tiles of 8, one of which goes another way.
// kind: none
// run: maxima<<<1, 64>>>(in: int[64] = (i * 11) % 64, out: int[8])
// gives: out = [max((i * 11) % 64 for i in range(8 * t, 8 * t + 8)) if t % 2 else -1 for t in range(8)]
// at 64: same
// ---- original
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void maxima(const int* in, int* out) {
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  int v = -1;
  if (tile.meta_group_rank() % 2) v = cg::reduce(tile, in[threadIdx.x], cg::greater<int>());
  if (tile.thread_rank() == 0) out[tile.meta_group_rank()] = v;
}
