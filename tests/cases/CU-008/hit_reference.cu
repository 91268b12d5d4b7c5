texture<float, 2, cudaReadModeElementType> image;
surface<void, cudaSurfaceType2D> target;

__global__ void read(float *out) { out[threadIdx.x] = 0.f; }
# output
1 build-fail: texture
2 build-fail: surface
# fixed
--- hit_reference.cu
+++ hit_reference.hip
@@ -1,4 +1,6 @@
-texture<float, 2, cudaReadModeElementType> image;
+#include "rewarp_hip.h"
+static __device__ hipTextureObject_t image_object;
+static rewarp_texture<float, 2, hipReadModeElementType> image(image_object);
 surface<void, cudaSurfaceType2D> target;
 
 __global__ void read(float *out) { out[threadIdx.x] = 0.f; }
