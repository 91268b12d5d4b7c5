// Merge sort of 64-bit keys: each thread finds the place of its element in the other run by binary search.
#include "common.h"
#include <utility>

typedef unsigned long long Key;

__device__ int lower(const Key *run, int length, Key key) {
    int low = 0, high = length;
    while (low < high) {
        int middle = (low + high) / 2;
        if (run[middle] < key) low = middle + 1;
        else high = middle;
    }
    return low;
}

__device__ int upper(const Key *run, int length, Key key) {
    int low = 0, high = length;
    while (low < high) {
        int middle = (low + high) / 2;
        if (run[middle] <= key) low = middle + 1;
        else high = middle;
    }
    return low;
}

__global__ void merge(const Key *in, Key *out, int n, int length) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int pair = i / (2 * length) * 2 * length, first = min(length, n - pair), second = min(length, n - pair - first);
    int place = i - pair;
    int rank = place < first ? place + lower(in + pair + first, second, in[i])
                             : place - first + upper(in + pair, first, in[i]);
    out[pair + rank] = in[i];
}

int main() {
    const int n = 5000;
    Random random(111);
    std::vector<Key> start(n);
    for (Key &key : start) key = random.next_long() % 97000;
    Key *keys = to_device(start), *other = device_zeros<Key>(n);
    for (int length = 1; length < n; length *= 2) {
        merge<<<(n + 127) / 128, 128>>>(keys, other, n, length);
        std::swap(keys, other);
    }
    CHECK_KERNEL();
    show("keys", to_host(keys, n));
    return 0;
}
