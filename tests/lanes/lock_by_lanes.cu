// Every lane takes one lock: NVIDIA's lanes go on one by one, those of a wave wait for the one that holds it.
// kind: IMPLICIT_SYNC
// run: total<<<2, 64>>>(lock: int[1], out: int[1])
// gives: out = [128]
// at 64: hang
// ---- original
__global__ void total(int* lock, int* out) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  out[0] += 1;
  __threadfence();
  atomicExch(lock, 0);
}
// ---- fixed
__global__ void total(int* lock, int* out) {
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
