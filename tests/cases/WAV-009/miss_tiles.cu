#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void a(int *x) { auto t = cg::tiled_partition<32>(cg::this_thread_block()); x[t.meta_group_rank()] = t.size(); }
__global__ void b(int *x) { auto t = cg::tiled_partition<16>(cg::this_thread_block()); x[t.meta_group_rank()] = t.meta_group_size(); }
__global__ void c(int *x) { auto block = cg::this_thread_block(); x[block.thread_rank()] = block.size(); }
__global__ void d(int *x) { auto t = cg::tiled_partition<32>(cg::this_thread_block()); x[0] = t.ballot(x[t.thread_rank()]) != 0; }
__global__ void e(int *x) { auto t = cg::tiled_partition<8>(cg::this_thread_block()); x[0] = t.any(x[1]); }
__global__ void f(float *x) { auto t = cg::tiled_partition<32>(cg::this_thread_block()); for (int o = t.size() / 2; o; o /= 2) x[0] += t.shfl_down(x[0], o); }
# output
