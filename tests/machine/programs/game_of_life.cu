// Conway's game of life on a torus: a byte for each cell, and 32 cells in a word.
#include "common.h"
#include <utility>

__global__ void step(const unsigned char *in, unsigned char *out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int left = (x + width - 1) % width, right = (x + 1) % width, up = (y + height - 1) % height * width;
    int down = (y + 1) % height * width, row = y * width;
    int alive = in[up + left] + in[up + x] + in[up + right] + in[row + left] + in[row + right] + in[down + left] +
                in[down + x] + in[down + right];
    out[row + x] = alive == 3 || (alive == 2 && in[row + x]);
}

__global__ void step_bits(const unsigned *in, unsigned *out, int words, int height) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= words * height) return;
    int x = i % words, y = i / words, left = (x + words - 1) % words, right = (x + 1) % words;
    unsigned ones = 0, twos = 0, fours = 0, self = 0;
    for (int dy = -1; dy <= 1; ++dy) {
        const unsigned *row = in + (y + dy + height) % height * words;
        unsigned here = row[x];
        unsigned west = __funnelshift_l(row[left], here, 1), east = __funnelshift_r(here, row[right], 1);
        if (dy == 0) self = here;
        unsigned cells[3] = {west, dy == 0 ? 0u : here, east};
        for (unsigned cell : cells) {  // a counter of three bits in each place
            unsigned carry = ones & cell;
            ones ^= cell;
            unsigned carry2 = twos & carry;
            twos ^= carry;
            fours |= carry2;
        }
    }
    out[i] = ~fours & twos & (ones | self);
}

int main() {
    const int width = 192, height = 100, words = width / 32;
    Random random(221);
    std::vector<unsigned char> cells(width * height);
    std::vector<unsigned> packed(words * height, 0);
    for (int i = 0; i < width * height; ++i) {
        cells[i] = random.below(3) == 0;
        packed[i / 32] |= (unsigned)cells[i] << i % 32;
    }
    unsigned char *a = to_device(cells), *b = device_zeros<unsigned char>(width * height);
    unsigned *p = to_device(packed), *q = device_zeros<unsigned>(words * height);
    for (int t = 0; t < 30; ++t) {
        step<<<dim3((width + 31) / 32, (height + 7) / 8), dim3(32, 8)>>>(a, b, width, height);
        step_bits<<<(words * height + 95) / 96, 96>>>(p, q, words, height);
        std::swap(a, b);
        std::swap(p, q);
    }
    CHECK_KERNEL();
    std::vector<unsigned char> result = to_host(a, width * height);
    int alive = 0;
    for (unsigned char cell : result) alive += cell;
    show("cells", result);
    show("alive", alive);
    show("words", to_host(p, words * height));
    return 0;
}
