// One lock for the leaders of warps: two leaders in one wave wait for each other.
// kind: IMPLICIT_SYNC
// run: total<<<1, 128>>>(lock: int[1], out: int[1])
// gives: out = [4]
// at 64: hang
// ---- original
__global__ void total(int* lock, int* out) {
  if (threadIdx.x % 32 == 0) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    out[0] += 1;
    __threadfence();
    atomicExch(lock, 0);
  }
}
// ---- fixed
__global__ void total(int* lock, int* out) {
  if (threadIdx.x % 32 == 0) {
    bool done = false;
    while (!done) {
      if (atomicCAS(lock, 0, 1) == 0) {
        out[0] += 1;
        __threadfence();
        atomicExch(lock, 0);
        done = true;
      }
    }
  }
}
