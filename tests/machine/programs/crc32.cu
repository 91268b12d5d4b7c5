// CRC-32 of many messages: by bits, by a table in constant memory, by four tables made on the GPU; Adler-32.
#include "common.h"

__device__ unsigned tables[4][256];

__global__ void make_tables() {
    unsigned value = threadIdx.x;
    for (int bit = 0; bit < 8; ++bit) value = value & 1 ? value >> 1 ^ 0xEDB88320u : value >> 1;
    tables[0][threadIdx.x] = value;
    __syncthreads();
    for (int i = 1; i < 4; ++i) {
        value = value >> 8 ^ tables[0][value & 255];
        tables[i][threadIdx.x] = value;
    }
}

__global__ void by_bits(const unsigned char *data, int length, unsigned *out, int messages) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= messages) return;
    unsigned crc = ~0u;
    for (int j = 0; j < length; ++j) {
        crc ^= data[i * length + j];
        for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (0xEDB88320u & (0u - (crc & 1)));
    }
    out[i] = ~crc;
}

__global__ void by_words(const unsigned *data, int words, unsigned *out, int messages) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= messages) return;
    unsigned crc = ~0u;
    for (int j = 0; j < words; ++j) {
        crc ^= data[i * words + j];
        crc = tables[3][crc & 255] ^ tables[2][crc >> 8 & 255] ^ tables[1][crc >> 16 & 255] ^ tables[0][crc >> 24];
    }
    out[i] = ~crc;
}

__global__ void adler(const unsigned char *data, int length, unsigned *out, int messages) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= messages) return;
    unsigned a = 1, b = 0;
    for (int j = 0; j < length; ++j) {
        a = (a + data[i * length + j]) % 65521;
        b = (b + a) % 65521;
    }
    out[i] = b << 16 | a;
}

int main() {
    const int messages = 300, length = 128;
    std::vector<int> numbers = random_ints(messages * length, 256, 401);
    unsigned char *data = to_device(std::vector<unsigned char>(numbers.begin(), numbers.end()));
    unsigned *bits = device_zeros<unsigned>(messages), *words = device_zeros<unsigned>(messages), *sums = device_zeros<unsigned>(messages);
    make_tables<<<1, 256>>>();
    by_bits<<<(messages + 63) / 64, 64>>>(data, length, bits, messages);
    by_words<<<(messages + 63) / 64, 64>>>(reinterpret_cast<unsigned *>(data), length / 4, words, messages);
    adler<<<(messages + 63) / 64, 64>>>(data, length, sums, messages);
    CHECK_KERNEL();
    show("by_bits", to_host(bits, messages));
    show("by_words", to_host(words, messages));
    show("adler", to_host(sums, messages));
    unsigned table[256];
    CHECK(cudaMemcpyFromSymbol(table, tables, sizeof(table), 3 * 256 * sizeof(unsigned)));
    show("table", table, 256);
    return 0;
}
