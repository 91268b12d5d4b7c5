#define ROWS 128

__global__ void product() {
  __shared__ float a[ROWS][ROWS + 4];
  __shared__ double b[2 * ROWS][64];
}
# output
4 build-fail: a
5 build-fail: b
