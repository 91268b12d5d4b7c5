__device__ unsigned mix(unsigned a, unsigned b, int4 *p) {
  unsigned s = __vadd2(a, b);
  s = __vsubss4(s, 0x08080808);
  __nanosleep(100);
  __stcs(p, make_int4(0, 0, 0, 0));
  return __dp4a(a, b, s);
}
# output
2 build-fail: __vadd2
4 build-fail: __nanosleep
5 build-fail: __stcs
6 build-fail: __dp4a
# fixed
--- hit_intrinsics.cu
+++ hit_intrinsics.hip
@@ -1,3 +1,4 @@
+#include "rewarp_hip.h"
 __device__ unsigned mix(unsigned a, unsigned b, int4 *p) {
   unsigned s = __vadd2(a, b);
   s = __vsubss4(s, 0x08080808);
