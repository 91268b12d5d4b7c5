// A hash table with open addresses: inserts by compare-and-swap of 64 bits, counts, look-ups and removals.
#include "common.h"

typedef unsigned long long u64;
constexpr unsigned SLOTS = 8192, EMPTY = 0xffffffffu;

__device__ unsigned mixed(unsigned key) {
    key = (key ^ key >> 16) * 0x85ebca6bu;
    key = (key ^ key >> 13) * 0xc2b2ae35u;
    return (key ^ key >> 16) & (SLOTS - 1);
}

__global__ void clear(u64 *slots) { slots[blockIdx.x * blockDim.x + threadIdx.x] = (u64)EMPTY << 32; }

__global__ void insert(u64 *slots, const unsigned *keys, int n, int *fresh) {  // key in the high word, a count in the low
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned slot = mixed(keys[i]);
    while (true) {
        u64 wanted = (u64)EMPTY << 32, mine = (u64)keys[i] << 32 | 1;
        u64 seen = atomicCAS(&slots[slot], wanted, mine);
        if (seen == wanted) {
            atomicAdd(fresh, 1);
            return;
        }
        if ((unsigned)(seen >> 32) == keys[i]) {
            atomicAdd(&slots[slot], 1ull);
            return;
        }
        slot = (slot + 1) & (SLOTS - 1);
    }
}

__global__ void look_up(const u64 *slots, const unsigned *keys, int n, unsigned *counts) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (unsigned slot = mixed(keys[i]);; slot = (slot + 1) & (SLOTS - 1)) {
        unsigned key = (unsigned)(slots[slot] >> 32);
        if (key == keys[i] || key == EMPTY) {
            counts[i] = key == EMPTY ? 0 : (unsigned)slots[slot];
            return;
        }
    }
}

int main() {
    const int n = 6000;
    Random random(421);
    std::vector<unsigned> inserted(n), asked(n);
    for (unsigned &key : inserted) key = random.next() % 3000 * 7;
    for (int i = 0; i < n; ++i) asked[i] = i * 7 / 2;
    u64 *slots = device_zeros<u64>(SLOTS);
    unsigned *keys = to_device(inserted), *questions = to_device(asked), *counts = device_zeros<unsigned>(n);
    int *fresh = device_zeros<int>(1);
    clear<<<SLOTS / 256, 256>>>(slots);
    insert<<<(n + 127) / 128, 128>>>(slots, keys, n, fresh);
    look_up<<<(n + 127) / 128, 128>>>(slots, questions, n, counts);
    CHECK_KERNEL();
    show("fresh", to_host(fresh, 1));
    show("counts", to_host(counts, n));
    u64 sum = 0;
    for (u64 slot : to_host(slots, SLOTS))
        if (slot >> 32 != EMPTY) sum += (slot >> 32) * (slot & 0xffffffff);
    show("sum", sum);
    return 0;
}
