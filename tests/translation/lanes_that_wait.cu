__device__ int lock, total;

// Lanes of one wave wait for the lane that holds the lock: nothing of this moves on AMD.
__global__ void locked() {
  while (atomicCAS(&lock, 0, 1) != 0) {
  }
  total += 1;
  __threadfence();
  atomicExch(&lock, 0);
}

__global__ void locked_the_other_way_round() {
  while (0 != atomicCAS(&lock, 0, 1));
  total += 1;
  atomicExch(&lock, 0);
}

__global__ void locked_by_an_exchange() {
  do {} while (atomicExch(&lock, 1));
  total += 1;
  lock = 0;
}

// One thread of a block waits for those of other blocks.
__global__ void one_of_each_block() {
  if (threadIdx.x == 0) {
    while (atomicCAS(&lock, 0, 1) != 0);
    total += 1;
    atomicExch(&lock, 0);
  }
}

// Every lane tries and comes back: what follows a success is moved behind the loop, where it waits for the other lanes.
__global__ void tried_again() {
  bool done = false;
  while (!done) {
    if (atomicCAS(&lock, 0, 1) == 0) {
      total += 1;
      __threadfence();
      atomicExch(&lock, 0);
      done = true;
    }
  }
}

__global__ void tried_until_it_breaks() {
  for (;;) {
    if (!atomicExch(&lock, 1)) {
      total += 1;
      lock = 0;
      break;
    }
  }
}

// Each lock is tried once, whether it is free or not.
__global__ void tried_once(int* locks, int many) {
  for (int i = 0; i < many; ++i) {
    if (atomicCAS(&locks[i], 0, 1) == 0) {
      total += 1;
      atomicExch(&locks[i], 0);
      return;
    }
  }
}

// No lock: what another lane writes lets this one go on.
__device__ float largest(float* address, float value) {
  int* place = (int*)address;
  int old = *place, assumed;
  do {
    assumed = old;
    old = atomicCAS(place, assumed, __float_as_int(fmaxf(value, __int_as_float(assumed))));
  } while (assumed != old);
  return __int_as_float(old);
}

// Who calls this is not seen.
__device__ void take(int* mutex) {
  while (atomicCAS(mutex, 0, 1) != 0);
}
// ---- HIP ----
#include <hip/hip_runtime.h>
__device__ int lock, total;

// Lanes of one wave wait for the lane that holds the lock: nothing of this moves on AMD.
__global__ void locked() {
  while (atomicCAS(&lock, 0, 1) != 0) {
  }
  total += 1;
  __threadfence();
  atomicExch(&lock, 0);
}

__global__ void locked_the_other_way_round() {
  while (0 != atomicCAS(&lock, 0, 1));
  total += 1;
  atomicExch(&lock, 0);
}

__global__ void locked_by_an_exchange() {
  do {} while (atomicExch(&lock, 1));
  total += 1;
  lock = 0;
}

// One thread of a block waits for those of other blocks.
__global__ void one_of_each_block() {
  if (threadIdx.x == 0) {
    while (atomicCAS(&lock, 0, 1) != 0);
    total += 1;
    atomicExch(&lock, 0);
  }
}

// Every lane tries and comes back: what follows a success is moved behind the loop, where it waits for the other lanes.
__global__ void tried_again() {
  bool done = false;
  while (!done) {
    if (atomicCAS(&lock, 0, 1) == 0) {
      total += 1;
      __threadfence();
      atomicExch(&lock, 0);
      done = true;
    }
  }
}

__global__ void tried_until_it_breaks() {
  for (;;) {
    if (!atomicExch(&lock, 1)) {
      total += 1;
      lock = 0;
      break;
    }
  }
}

// Each lock is tried once, whether it is free or not.
__global__ void tried_once(int* locks, int many) {
  for (int i = 0; i < many; ++i) {
    if (atomicCAS(&locks[i], 0, 1) == 0) {
      total += 1;
      atomicExch(&locks[i], 0);
      return;
    }
  }
}

// No lock: what another lane writes lets this one go on.
__device__ float largest(float* address, float value) {
  int* place = (int*)address;
  int old = *place, assumed;
  do {
    assumed = old;
    old = atomicCAS(place, assumed, __float_as_int(fmaxf(value, __int_as_float(assumed))));
  } while (assumed != old);
  return __int_as_float(old);
}

// Who calls this is not seen.
__device__ void take(int* mutex) {
  while (atomicCAS(mutex, 0, 1) != 0);
}
// ---- findings ----
// 5 unsupported atomicCAS
// 13 unsupported atomicCAS
// 19 unsupported atomicExch
// 37 unsupported atomicCAS
// 48 unsupported atomicExch
