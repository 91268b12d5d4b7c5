// The size of the coalesced group taken for a warp of 32: as many groups as warps.
// kind: GROUPS
// run: groups<<<1, 128>>>(out: int[1])
// gives: out = [4]
// at 64: wrong result
// ---- original
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void groups(int* out) {
  auto group = cg::coalesced_threads();
  if (group.thread_rank() == 0) atomicAdd(out, 1);
}
// ---- fixed
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void groups(int* out) {
  auto group = cg::tiled_partition<32>(cg::this_thread_block());
  if (group.thread_rank() == 0) atomicAdd(out, 1);
}
