#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
__global__ void f(int *x) { cg::this_thread_block().sync(); }
# output
2 build-fail: #include <cooperative_groups/memcpy_async.h>
