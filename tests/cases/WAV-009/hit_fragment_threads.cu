#define WMMA_WARPS 4
void a(int n) { gemm<<<n, WMMA_WARPS * 32>>>(); }
int b() { return TILE_M / WMMA_M * 32 * TILE_N / WMMA_N; }
bool c() { return 32 * WMMA_WARPS > 1024; }
# output
2 wrong-result: WMMA_WARPS * 32
3 wrong-result: WMMA_M * 32
4 wrong-result: 32 * WMMA_WARPS
