#include <mma.h>
using namespace nvcuda;
void a(int m, int n) { dim3 block(TILE_N / WMMA_N * 32); gemm<<<m, block>>>(); }
void b() { const int threads = 32 * WMMA_TILES; gemm<<<1, threads>>>(); }
# output
3 wrong-result: WMMA_N * 32
4 wrong-result: 32 * WMMA_TILES
# fixed
--- hit_fragments.cu
+++ hit_fragments.hip
@@ -1,4 +1,4 @@
-#include <mma.h>
+#include "rewarp_hip.h"
 using namespace nvcuda;
 void a(int m, int n) { dim3 block(TILE_N / WMMA_N * 32); gemm<<<m, block>>>(); }
 void b() { const int threads = 32 * WMMA_TILES; gemm<<<1, threads>>>(); }
