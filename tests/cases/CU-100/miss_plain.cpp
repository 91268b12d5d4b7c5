#include <vector>
// __global__ void scale(float *x);
const char *source = "scale<<<1, 256>>>(x)";
int shift(int x) { return x << 2; }
int cudaDevices = 1;
# output
