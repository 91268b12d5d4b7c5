// path: selection.cuh
// compile: no, whoever includes it gives the namespace its other name
#pragma once

template <int size>
__device__ int chosen(const cg::thread_block_tile<size>& tile, const Random<size>& random, int few) {
  return tile.num_threads() < few ? random.num_threads() : 0;
}
// ---- HIP ----
#pragma once

template <int size>
__device__ int chosen(const cg::thread_block_tile<size>& tile, const Random<size>& random, int few) {
  return tile.size() < few ? random.num_threads() : 0;
}
