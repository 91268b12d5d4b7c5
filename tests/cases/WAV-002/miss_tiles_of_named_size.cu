namespace cg = cooperative_groups;
constexpr int kTile = 32;
template <int tile_size>
__device__ void drain(const cg::thread_block_tile<tile_size>& tile, bool active, int* out) {
  unsigned int left = __popc(tile.ballot(active));
  out[0] = left;
}
__global__ void queue(int* out) {
  auto tile = cg::tiled_partition<kTile>(cg::this_thread_block());
  out[0] = __ffs(tile.ballot(out[tile.thread_rank()])) - 1;
}
# output
