// SHA-256: a message for each thread, and a search for a nonce whose digest begins with zero bits.
#include "common.h"

__constant__ unsigned constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
    0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
    0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
    0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

__device__ __forceinline__ unsigned turn(unsigned x, int bits) { return x >> bits | x << (32 - bits); }

__device__ void compress(unsigned state[8], const unsigned block[16]) {
    unsigned w[64], s[8];
    for (int i = 0; i < 16; ++i) w[i] = block[i];
    for (int i = 16; i < 64; ++i) {
        unsigned a = turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3;
        unsigned b = turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + a + w[i - 7] + b;
    }
    for (int i = 0; i < 8; ++i) s[i] = state[i];
    for (int i = 0; i < 64; ++i) {
        unsigned choice = (s[4] & s[5]) ^ (~s[4] & s[6]), majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        unsigned one = s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) + choice + constants[i] + w[i];
        unsigned two = (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) + majority;
        for (int j = 7; j > 0; --j) s[j] = s[j - 1];
        s[4] += one;
        s[0] = one + two;
    }
    for (int i = 0; i < 8; ++i) state[i] += s[i];
}

__device__ void digest(unsigned number, unsigned nonce, unsigned out[8]) {  // of 8 bytes
    const unsigned start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    unsigned block[16] = {number, nonce, 0x80000000u};
    block[15] = 64;
    for (int i = 0; i < 8; ++i) out[i] = start[i];
    compress(out, block);
}

__global__ void digests(unsigned *out, int messages) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < messages) digest(i, 0x61626364, out + 8 * i);
}

__global__ void mine(unsigned number, unsigned zeros, unsigned *least) {
    unsigned nonce = blockIdx.x * blockDim.x + threadIdx.x, out[8];
    digest(number, nonce, out);
    if (__clz(out[0]) >= zeros) atomicMin(least, nonce);
}

int main() {
    const int messages = 200;
    unsigned *out = device_zeros<unsigned>(8 * messages), *least = to_device(std::vector<unsigned>{~0u, ~0u});
    digests<<<(messages + 63) / 64, 64>>>(out, messages);
    mine<<<16, 128>>>(1, 8, least);
    mine<<<16, 128>>>(2, 7, least + 1);
    CHECK_KERNEL();
    show("digests", to_host(out, 8 * messages));
    show("nonces", to_host(least, 2));
    return 0;
}
