// SHA-256: translations are kept by content.
#include "state.h"

static const u32 K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};
static u32 turn(u32 x, int n) { return x >> n | x << (32 - n); }

static void take(u32 h[8], const u8 *p) {
    u32 w[64], s[8];
    for (int n = 0; n < 16; n++) w[n] = (u32)p[4 * n] << 24 | (u32)p[4 * n + 1] << 16 | (u32)p[4 * n + 2] << 8 | p[4 * n + 3];
    for (int n = 16; n < 64; n++) {
        u32 a = w[n - 15], b = w[n - 2];
        w[n] = w[n - 16] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) + w[n - 7] + (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
    }
    memcpy(s, h, sizeof s);
    for (int n = 0; n < 64; n++) {
        u32 e = s[4], a = s[0];
        u32 x = s[7] + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & s[5]) ^ (~e & s[6])) + K[n] + w[n];
        u32 y = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += x, s[0] = x + y;
    }
    for (int n = 0; n < 8; n++) h[n] += s[n];
}

void digest_of(const void *data, u64 size, char hex[65]) {
    u32 h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    u64 at = 0;
    for (; size - at >= 64; at += 64) take(h, (const u8 *)data + at);
    u8 end[128] = {0};
    u64 left = size - at, all = left < 56 ? 64 : 128;
    memcpy(end, (const u8 *)data + at, left);
    end[left] = 0x80;
    for (int n = 0; n < 8; n++) end[all - 1 - n] = (u8)(size * 8 >> 8 * n);
    for (u64 n = 0; n < all; n += 64) take(h, end + n);
    for (int n = 0; n < 8; n++) snprintf(hex + 8 * n, 9, "%08x", h[n]);
}
