__device__ int a(int p) { return __popc(__ballot(p)); }
__device__ int b(int p) { auto v = __ballot(p); return __popc(v); }
__device__ int c(int p) { auto v = __ballot(p); return __ffs(v) - 1; }
__device__ int d(int p) { auto v = __ballot(p); return 31 - __clz(v); }
__device__ int e(int p) { auto v = __ballot(p); return __brev(v); }
__device__ int f(int p, int n) { auto v = __ballot(p); return __fns(v, 0, n); }
__device__ int g() { return __popc(__activemask()); }
__device__ int h(int p, int lane) { auto v = __ballot(p); return __popc(v & ((1ull << lane) - 1)); }
__device__ int i(int key) { auto peers = __match_any_sync(~0ull, key); return __ffs(peers); }
__device__ int j(int p) { auto v = __ballot(p); return __builtin_popcount(v); }
# output
1 wrong-result: __popc(__ballot(p)
2 wrong-result: __popc(v
3 wrong-result: __ffs(v
4 wrong-result: __clz(v
5 wrong-result: __brev(v
6 wrong-result: __fns(v
7 wrong-result: __popc(__activemask()
8 wrong-result: __popc(v & ((1ull << lane) - 1)
9 wrong-result: __ffs(peers
10 wrong-result: __builtin_popcount(v
