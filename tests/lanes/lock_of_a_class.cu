// A lock with methods, taken by the first lane of every warp.
// kind: IMPLICIT_SYNC
// run: total<<<1, 128>>>(lock: int[1], out: int[1])
// gives: out = [100]
// at 64: hang
// ---- original
struct Mutex {
  int* state;
  __device__ void lock() {
    while (atomicExch(state, 1) != 0) __threadfence();
  }
  __device__ void unlock() { atomicExch(state, 0); }
};
__global__ void total(int* lock, int* out) {
  Mutex mutex = {lock};
  const int lane = threadIdx.x % 32;
  if (lane != 0) return;
  for (int i = 0; i < 25; ++i) {
    mutex.lock();
    out[0] += 1;
    mutex.unlock();
  }
}
// ---- fixed
__global__ void total(int* lock, int* out) {
  if (threadIdx.x % 32 == 0) atomicAdd(out, 25);
}
