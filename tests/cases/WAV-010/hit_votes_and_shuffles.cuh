__device__ int a(int p) { int r; asm("{ .reg .pred q; setp.ne.u32 q, %1, 0; vote.sync.ballot.b32 %0, q, -1; }" : "=r"(r) : "r"(p)); return r; }
__device__ int b(int v) { int r; asm volatile("shfl.sync.down.b32 %0, %1, 1, 31, -1;" : "=r"(r) : "r"(v)); return r; }
__device__ unsigned c() { unsigned m; asm volatile("activemask.b32 %0;" : "=r"(m)); return m; }
__device__ unsigned d(unsigned v) { unsigned m; asm("match.any.sync.b32 %0, %1, -1;" : "=r"(m) : "r"(v)); return m; }
__device__ unsigned e(unsigned v) { unsigned m; asm("redux.sync.add.u32 %0, %1, -1;" : "=r"(m) : "r"(v)); return m; }
__device__ int f(int v) { int r; asm("shfl.up.b32 %0, %1, 1, 0;" : "=r"(r) : "r"(v)); return r; }
# output
1 build-fail: "{ .reg .pred q; setp.ne.u32 q, %1, 0; vote.sync.ballot.b32 %0, q, -1; }"
2 build-fail: "shfl.sync.down.b32 %0, %1, 1, 31, -1;"
3 build-fail: "activemask.b32 %0;"
4 build-fail: "match.any.sync.b32 %0, %1, -1;"
5 build-fail: "redux.sync.add.u32 %0, %1, -1;"
6 build-fail: "shfl.up.b32 %0, %1, 1, 0;"
