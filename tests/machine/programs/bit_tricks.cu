// Bits: reversals, counts, first and last, funnel shifts, bytes permuted, sums of differences, SIMD in a word.
#include "common.h"

__global__ void words(const unsigned *a, const unsigned *b, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned x = a[i], y = b[i], *row = out + 16 * i;
    row[0] = __brev(x);
    row[1] = __popc(x);
    row[2] = __clz(x);
    row[3] = __ffs(x);
    row[4] = __funnelshift_l(x, y, y);
    row[5] = __funnelshift_r(x, y, y);
    row[6] = __funnelshift_lc(x, y, y & 63);
    row[7] = __byte_perm(x, y, 0x5140 + (y & 0x3333));
    row[8] = __sad((int)x, (int)y, 7u);
    row[9] = __usad(x, y, 9u);
    row[10] = __umulhi(x, y);
    row[11] = (unsigned)__mulhi((int)x, (int)y);
    row[12] = __uhadd(x, y);
    row[13] = (unsigned)__rhadd((int)x, (int)y);
    row[14] = (unsigned)__mul24((int)x, (int)y);
    row[15] = __umul24(x, y);
}

__global__ void longs(const unsigned *a, const unsigned *b, unsigned long long *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long x = (unsigned long long)a[i] << 32 | b[i], *row = out + 6 * i;
    row[0] = __brevll(x);
    row[1] = __popcll(x);
    row[2] = __clzll(x);
    row[3] = __ffsll(x);
    row[4] = x << (b[i] & 63) | x >> (63 & -(int)b[i]);
    row[5] = __umul64hi(x, x * 3 + 1);
}

__global__ void morton(unsigned *codes, unsigned *back) {
    unsigned x = threadIdx.x, y = blockIdx.x;
    auto spread = [](unsigned v) {
        v = (v | v << 8) & 0x00FF00FFu;
        v = (v | v << 4) & 0x0F0F0F0Fu;
        v = (v | v << 2) & 0x33333333u;
        return (v | v << 1) & 0x55555555u;
    };
    unsigned code = spread(x) | spread(y) << 1;
    codes[y * blockDim.x + x] = code;
    back[y * blockDim.x + x] = code ^ code >> 1;
}

int main() {
    const int n = 1000;
    Random random(481);
    std::vector<unsigned> x(n), y(n);
    for (int i = 0; i < n; ++i) {
        x[i] = random.next() >> i % 32;
        y[i] = random.next();
    }
    x[0] = 0;
    y[1] = 0;
    x[2] = ~0u;
    unsigned *a = to_device(x), *b = to_device(y), *out = device_zeros<unsigned>(16 * n);
    unsigned long long *wide = device_zeros<unsigned long long>(6 * n);
    unsigned *codes = device_zeros<unsigned>(64 * 64), *gray = device_zeros<unsigned>(64 * 64);
    words<<<(n + 127) / 128, 128>>>(a, b, out, n);
    longs<<<(n + 127) / 128, 128>>>(a, b, wide, n);
    morton<<<64, 64>>>(codes, gray);
    CHECK_KERNEL();
    std::vector<unsigned> results = to_host(out, 16 * n);
    const char *names[16] = {"brev", "popc", "clz", "ffs", "funnel_l", "funnel_r", "funnel_lc", "byte_perm",
                             "sad", "usad", "umulhi", "mulhi", "uhadd", "rhadd", "mul24", "umul24"};
    for (int k = 0; k < 16; ++k) {
        std::vector<unsigned> column;
        for (int i = 0; i < n; ++i) column.push_back(results[16 * i + k]);
        show(names[k], column);
    }
    show("longs", to_host(wide, 6 * n));
    show("morton", to_host(codes, 64 * 64));
    show("gray", to_host(gray, 64 * 64));
    return 0;
}
