#include <cuda/barrier>
#include <cuda/std/atomic>

__global__ void wait() {
  __shared__ cuda::barrier<cuda::thread_scope_block> gate;
  cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
}
# output
1 build-fail: #include <cuda/barrier>
2 build-fail: #include <cuda/std/atomic>
6 build-fail: cooperative_groups::cluster_group
