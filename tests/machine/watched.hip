// Kernels in pairs: one as it should be, one with a mistake that the machine must see.
#include <hip/hip_runtime.h>

#define ITEM (blockIdx.x * blockDim.x + threadIdx.x)
#define TWINS(name, parameters, arguments)                                       \
    extern "C" __global__ void name parameters { name##_<false> arguments; }     \
    extern "C" __global__ void name##_wrong parameters { name##_<true> arguments; }
#define BODY template <bool wrong> static __device__ __forceinline__ void

// --- shared memory ----------------------------------------------------------------------------

BODY tree_(const int *a, int *out) {
    __shared__ int part[256];
    part[threadIdx.x] = a[ITEM];
    __syncthreads();
    for (unsigned step = 128; step; step /= 2) {
        if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
        if (!wrong) __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}
TWINS(tree, (const int *a, int *out), (a, out))

BODY too_early_(const int *a, int *out) {
    __shared__ int part[256];
    part[threadIdx.x] = a[ITEM];
    if (!wrong) __syncthreads();
    out[ITEM] = part[threadIdx.x ^ 128];
}
TWINS(too_early, (const int *a, int *out), (a, out))

BODY histogram_(const unsigned char *a, unsigned *out) {
    __shared__ unsigned bins[256];
    bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[a[ITEM]], 1u);
    if (!wrong) __syncthreads();
    atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}
TWINS(histogram, (const unsigned char *a, unsigned *out), (a, out))

BODY unset_(const int *a, int *out) {
    __shared__ int bins[256];
    if (threadIdx.x < (wrong ? 200 : 256)) bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[a[ITEM] & 255], 1);
    __syncthreads();
    out[threadIdx.x] = bins[threadIdx.x];
}
TWINS(unset, (const int *a, int *out), (a, out))

BODY unset_branch_(int *out, int at) {
    __shared__ int flag[2];
    if (threadIdx.x == 0) flag[wrong ? at : 0] = 1;
    __syncthreads();
    if (flag[0] == 7) atomicAdd(&out[threadIdx.x], 1);
}
TWINS(unset_branch, (int *out, int at), (out, at))

BODY unset_address_(const int *a, int *out) {
    __shared__ int at[256];
    if (threadIdx.x < (wrong ? 100 : 256)) at[threadIdx.x] = 255 - threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = a[at[threadIdx.x]];
}
TWINS(unset_address, (const int *a, int *out), (a, out))

// 64 lanes without a barrier: one wave on one card, two on another.
BODY lockstep_(const int *a, int *out) {
    __shared__ volatile int part[128];
    part[threadIdx.x] = a[ITEM];
    __syncthreads();
    if (threadIdx.x < 64) {
        part[threadIdx.x] += part[threadIdx.x + 64];
        if (!wrong) __threadfence_block();
    }
    if (!wrong) __syncthreads();
    if (threadIdx.x < 32) {
        part[threadIdx.x] += part[threadIdx.x + 32];
        if (threadIdx.x == 0) {
            int sum = 0;
            for (int i = 0; i < 32; i++) sum += part[i];
            out[blockIdx.x] = sum;
        }
    }
}
TWINS(lockstep, (const int *a, int *out), (a, out))

BODY narrow_(unsigned char *out) {
    __shared__ unsigned char bytes[256];
    bytes[(threadIdx.x * 67 + (wrong ? threadIdx.x / 128 : 0)) & 255] = threadIdx.x;
    __syncthreads();
    out[(ITEM & ~255u) + (threadIdx.x * 3 & 255)] = bytes[threadIdx.x];
}
TWINS(narrow, (unsigned char *out), (out))

// Counters of 16 bits, cleared as words and read as words, as radix sorts have them.
extern "C" __global__ void halves(unsigned *out) {
    __shared__ volatile unsigned words[256];
    unsigned sum = 0;
    for (unsigned pass = 0; pass < 6; pass++) {
        words[threadIdx.x] = 0;
        ((volatile unsigned short *)words)[2 * threadIdx.x + ((threadIdx.x ^ pass) & 1)]++;
        __syncthreads();
        sum += words[threadIdx.x ^ 64] * (pass + 1);
        __syncthreads();
    }
    out[ITEM] = sum;
}

BODY shared_lock_(int *out) {
    __shared__ int lock, sum;
    if (threadIdx.x == 0) lock = 0, sum = 0;
    __syncthreads();
    if (threadIdx.x % 64 == 0) {
        if (!wrong) while (atomicCAS(&lock, 0, 1)) {}
        sum += threadIdx.x;
        if (!wrong) atomicExch(&lock, 0);
    }
    __syncthreads();
    out[threadIdx.x] = sum;
}
TWINS(shared_lock, (int *out), (out))

// --- barriers ---------------------------------------------------------------------------------

BODY diverged_(int *out) {
    __shared__ int part[256];
    part[threadIdx.x] = threadIdx.x;
    if (!wrong || threadIdx.x % 2) __syncthreads();
    out[threadIdx.x] = part[threadIdx.x];
}
TWINS(diverged, (int *out), (out))

BODY other_barrier_(int *out) {
    out[threadIdx.x] = 1;
    if (!wrong) __syncthreads();
    else if (threadIdx.x < 128) {
        __syncthreads();
        out[threadIdx.x] += 5;
    } else {
        out[threadIdx.x] += 7;
        __syncthreads();
    }
    out[threadIdx.x] *= 3;
}
TWINS(other_barrier, (int *out), (out))

BODY left_early_(int *out, int n) {
    __shared__ int part[256];
    if (wrong && threadIdx.x >= n) return;
    part[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x < n) out[threadIdx.x] = part[n - 1 - threadIdx.x];
}
TWINS(left_early, (int *out, int n), (out, n))

// --- global memory ----------------------------------------------------------------------------

BODY within_group_(int *a) {
    a[ITEM] = threadIdx.x;
    if (!wrong) __syncthreads();
    int beside = a[ITEM ^ 128];
    __syncthreads();
    a[ITEM] = beside;
}
TWINS(within_group, (int *a), (a))

BODY between_groups_(int *a, int *b) {
    int *to = wrong ? a : b;
    to[ITEM] = a[(ITEM + blockDim.x) % (gridDim.x * blockDim.x)] + 1;
}
TWINS(between_groups, (int *a, int *b), (a, b))

BODY counted_(int *counter, int *out) {
    int old = atomicAdd(counter, 1);
    out[ITEM] = wrong ? *counter : old;
}
TWINS(counted, (int *counter, int *out), (counter, out))

BODY outside_(int *a, int n) {
    int i = ITEM;
    if (wrong ? i <= n : i < n) a[i] = i;
}
TWINS(outside, (int *a, int n), (a, n))

// The sum of partial sums by the last group, as in NVIDIA's sample threadFenceReduction.
BODY last_group_(const int *a, int *partial, unsigned *tickets, int *out) {
    __shared__ int part[256];
    __shared__ bool is_last;
    part[threadIdx.x] = a[ITEM];
    __syncthreads();
    for (unsigned step = 128; step; step /= 2) {
        if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = part[0];
        if (!wrong) __threadfence();
        is_last = atomicInc(tickets, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last) {
        int sum = 0;
        for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) sum += partial[i];
        part[threadIdx.x] = sum;
        __syncthreads();
        if (threadIdx.x == 0) {
            for (int i = 1; i < 256; i++) sum += part[i];
            *out = sum, *tickets = 0;
        }
    }
}
TWINS(last_group, (const int *a, int *partial, unsigned *tickets, int *out), (a, partial, tickets, out))

// A scan in one pass: each group waits for the sum of those before it.
BODY look_back_(const int *a, int *sums, int *flags, int *out) {
    __shared__ int part[256], before;
    part[threadIdx.x] = a[ITEM];
    __syncthreads();
    for (unsigned step = 1; step < 256; step *= 2) {
        int more = threadIdx.x >= step ? part[threadIdx.x - step] : 0;
        __syncthreads();
        part[threadIdx.x] += more;
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        before = 0;
        if (blockIdx.x) {
            while (__hip_atomic_load(&flags[blockIdx.x - 1], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) == 0) {}
            __threadfence();
            before = sums[blockIdx.x - 1];
        }
        sums[blockIdx.x] = before + part[255];
        if (!wrong) __threadfence();
        __hip_atomic_store(&flags[blockIdx.x], 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    }
    __syncthreads();
    out[ITEM] = before + part[threadIdx.x];
}
TWINS(look_back, (const int *a, int *sums, int *flags, int *out), (a, sums, flags, out))

// Flags as CUDA code has them: volatile.
BODY handed_over_(volatile int *flag, int *data, int *out) {
    if (blockIdx.x == 0) {
        data[threadIdx.x] = threadIdx.x + 1;
        if (!wrong) __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) *flag = 1;
    } else {
        if (threadIdx.x == 0) while (*flag == 0) {}
        __syncthreads();
        __threadfence();
        out[threadIdx.x] = data[threadIdx.x ^ 1];
    }
}
TWINS(handed_over, (volatile int *flag, int *data, int *out), (flag, data, out))

// A barrier of the whole grid, made of atomics.
BODY grid_barrier_(unsigned *count, int *a, int *b) {
    for (unsigned turn = 1; turn <= 3; turn++) {
        a[ITEM] += turn;
        if (!wrong) __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) {
            atomicAdd(count, 1u);
            while (__hip_atomic_load(count, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) < (2 * turn - 1) * gridDim.x) {}
        }
        __syncthreads();
        __threadfence();
        b[ITEM] += a[(ITEM + 300) % (gridDim.x * blockDim.x)];
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) {
            atomicAdd(count, 1u);
            while (__hip_atomic_load(count, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) < 2 * turn * gridDim.x) {}
        }
        __syncthreads();
        __threadfence();
    }
}
TWINS(grid_barrier, (unsigned *count, int *a, int *b), (count, a, b))

BODY global_lock_(int *lock, int *sum) {
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1)) {}
        if (!wrong) __threadfence();
        *sum += blockIdx.x;
        if (!wrong) __threadfence();
        atomicExch(lock, 0);
    }
}
TWINS(global_lock, (int *lock, int *sum), (lock, sum))

BODY forgotten_flag_(int *flag, int *out) {
    // The last group would set the flag; the mistake is that it looks at it first.
    if (blockIdx.x == gridDim.x - 1 && !wrong) atomicExch(flag, 1);
    if (threadIdx.x == 0) while (atomicAdd(flag, 0) == 0) {}
    if (blockIdx.x == gridDim.x - 1 && wrong) atomicExch(flag, 1);
    out[ITEM] = 1;
}
TWINS(forgotten_flag, (int *flag, int *out), (flag, out))

// --- what must raise nothing ------------------------------------------------------------------

extern "C" __global__ void same_value(int *flag, const int *a) {
    if (a[ITEM] >= 0) *flag = 1;
}
// All-pairs shortest paths in place: the row and the column that all read are stored as they were.
extern "C" __global__ void through(int *distance, int n, int by) {
    int x = threadIdx.x, y = blockIdx.x;
    int around = distance[y * n + by] + distance[by * n + x];
    distance[y * n + x] = min(distance[y * n + x], around);
}
extern "C" __global__ void guessed(double *sum, const int *a) {
    unsigned long long *at = (unsigned long long *)sum, old = *at, seen;
    do seen = old, old = atomicCAS(at, seen, __double_as_longlong(a[ITEM] + __longlong_as_double(seen)));
    while (seen != old);
}
struct Padded { char kind; int value; short more; };
extern "C" __global__ void padded(const Padded *a, Padded *b) {
    Padded one;
    one.kind = a[ITEM].kind, one.value = a[ITEM].value + 1, one.more = a[ITEM].more;
    b[ITEM] = one;
}
extern "C" __global__ void chosen(const int *a, int *out, int n) {
    __shared__ int part[256];
    if (threadIdx.x < n) part[threadIdx.x] = a[ITEM];
    __syncthreads();
    int value = part[threadIdx.x];                    // of lanes beyond n nobody wrote it
    out[ITEM] = threadIdx.x < n ? value : 0;          // and nobody uses it
}
extern "C" __global__ void fresh(const int *a, int *out) { out[ITEM] = a[ITEM] + 1; }
// A result that depends on who comes first.
extern "C" __global__ void first_come(int *place, int *out) { out[atomicAdd(place, 1)] = ITEM; }

// A flag without a fence: enough for those who overwrite what its group has read.
BODY taken_over_(int *a, int *flags, int *out) {
    int mine = a[ITEM];
    if (!wrong) __syncthreads();
    if (threadIdx.x == 0) __hip_atomic_store(&flags[blockIdx.x], 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    if (blockIdx.x > 0) {
        if (threadIdx.x == 0)
            while (!__hip_atomic_load(&flags[blockIdx.x - 1], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)) __builtin_amdgcn_s_sleep(1);
        __syncthreads();
        a[ITEM - blockDim.x] = mine + 1;
    }
    out[ITEM] = mine;
}
TWINS(taken_over, (int *a, int *flags, int *out), (a, flags, out))

// What was written needs the fence.
BODY handed_on_(int *a, int *flags, int *out) {
    a[ITEM] = ITEM + 1;
    if (!wrong) __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) __hip_atomic_store(&flags[blockIdx.x], 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    if (blockIdx.x > 0) {
        if (threadIdx.x == 0)
            while (!__hip_atomic_load(&flags[blockIdx.x - 1], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)) __builtin_amdgcn_s_sleep(1);
        __syncthreads();
        a[ITEM - blockDim.x] = -1;
    }
}
TWINS(handed_on, (int *a, int *flags, int *out), (a, flags, out))

#include <hip/hip_cooperative_groups.h>
BODY whole_grid_(int *a, int *b) {
    a[ITEM] = threadIdx.x;
    if (!wrong) cooperative_groups::this_grid().sync();
    b[ITEM] = a[(ITEM + 300) % (gridDim.x * blockDim.x)];
    cooperative_groups::this_grid().sync();
    a[ITEM] = b[ITEM ^ 256];
}
TWINS(whole_grid, (int *a, int *b), (a, b))
