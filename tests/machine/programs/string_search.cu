// A text searched: every place of a word, counts of many words in constant memory, and lengths of lines.
#include "common.h"
#include <algorithm>
#include <cstring>
#include <string>

__constant__ char words[4][8];
__constant__ int lengths[4];

__global__ void find(const char *text, int n, int *places, int *count, int word) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + lengths[word] > n) return;
    for (int j = 0; j < lengths[word]; ++j)
        if (text[i + j] != words[word][j]) return;
    places[atomicAdd(count, 1)] = i;
}

__global__ void count_all(const char *text, int n, unsigned *counts) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int word = 0; word < 4; ++word) {
        bool same = i + lengths[word] <= n;
        for (int j = 0; same && j < lengths[word]; ++j) same = text[i + j] == words[word][j];
        int found = __syncthreads_count(same);
        if (threadIdx.x == 0) atomicAdd(&counts[word], (unsigned)found);
    }
}

__global__ void upper(char *text, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && text[i] >= 'a' && text[i] <= 'z') text[i] -= 'a' - 'A';
}

int main() {
    const char *list[4] = {"aba", "cab", "a", "dada"};
    char table[4][8] = {};
    int sizes[4];
    for (int i = 0; i < 4; ++i) {
        strcpy(table[i], list[i]);
        sizes[i] = (int)strlen(list[i]);
    }
    CHECK(cudaMemcpyToSymbol(words, table, sizeof(table)));
    CHECK(cudaMemcpyToSymbol(lengths, sizes, sizeof(sizes)));
    const int n = 20000;
    Random random(391);
    std::vector<char> letters(n);
    for (char &letter : letters) letter = (char)('a' + random.below(4));
    char *text = to_device(letters);
    int *places = device_zeros<int>(n), *count = device_zeros<int>(1);
    unsigned *counts = device_zeros<unsigned>(4);
    find<<<(n + 255) / 256, 256>>>(text, n, places, count, 0);
    count_all<<<(n + 255) / 256, 256>>>(text, n, counts);
    upper<<<(n + 255) / 256, 256>>>(text, n);
    CHECK_KERNEL();
    int found = to_host(count, 1)[0];
    std::vector<int> where = to_host(places, found);
    std::sort(where.begin(), where.end());
    show("found", found);
    show("places", where);
    show("counts", to_host(counts, 4));
    show("upper", to_host(text, n));
    return 0;
}
