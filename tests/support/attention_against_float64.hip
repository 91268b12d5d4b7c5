// The attention kernel that ported Rust crates carry, held against float64. Each case prints how far it is off, in units of
// what rounding the result to its type allows. An argument makes the reference see one key too many: every case has to fail.
#include "attention.hip"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

struct Case {
    bool bf16;
    int size, batch, heads, heads_k, length_q, length_k, left, right;
    float cap;
    bool slopes, packed;
};

static unsigned state = 12345;
static float number() {
    state = state * 1664525u + 1013904223u;
    return static_cast<float>(state >> 8) / (1 << 23) - 1.0f;
}

static unsigned short encoded(bool bf16, float x) {
    if (bf16) {
        unsigned bits;
        memcpy(&bits, &x, 4);
        return static_cast<unsigned short>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    }
    _Float16 made = static_cast<_Float16>(x);
    unsigned short bits;
    memcpy(&bits, &made, 2);
    return bits;
}

static double decoded(bool bf16, unsigned short bits) {
    if (bf16) {
        unsigned word = static_cast<unsigned>(bits) << 16;
        float x;
        memcpy(&x, &word, 4);
        return x;
    }
    _Float16 made;
    memcpy(&made, &bits, 2);
    return static_cast<double>(made);
}

template <typename T> static T *on_device(const std::vector<T> &values) {
    T *made;
    if (hipMalloc(&made, values.size() * sizeof(T)) || hipMemcpy(made, values.data(), values.size() * sizeof(T), hipMemcpyHostToDevice)) {
        exit(3);
    }
    return made;
}

static double off_by(const Case &c, int wrong) {
    std::vector<int> starts_q{0}, starts_k{0};
    for (int n = 0; n < c.batch; ++n) {
        // Packed sequences are of different lengths.
        starts_q.push_back(starts_q.back() + (c.packed ? c.length_q - 3 * n : c.length_q));
        starts_k.push_back(starts_k.back() + (c.packed ? c.length_k - 5 * n : c.length_k));
    }
    const int rows_q = starts_q.back(), rows_k = starts_k.back();
    std::vector<unsigned short> q(rows_q * c.heads * c.size), k(rows_k * c.heads_k * c.size), v(k.size()), o(q.size(), 0x7fff);
    for (auto *some : {&q, &k, &v}) {
        for (auto &one : *some) {
            one = encoded(c.bf16, 2.0f * number());
        }
    }
    std::vector<float> slopes(c.heads), lse(static_cast<size_t>(c.batch) * c.heads * c.length_q, -1.0f);
    for (int head = 0; head < c.heads; ++head) {
        slopes[head] = std::exp2(-1.0f - head);
    }
    Attention a{};
    a.q = on_device(q), a.k = on_device(k), a.v = on_device(v), a.o = on_device(o), a.lse = on_device(lse);
    a.slopes = c.slopes ? on_device(slopes) : nullptr;
    a.starts_q = c.packed ? on_device(starts_q) : nullptr, a.starts_k = c.packed ? on_device(starts_k) : nullptr;
    a.q_head = a.k_head = a.v_head = a.o_head = c.size;
    a.q_row = a.o_row = c.heads * c.size, a.k_row = a.v_row = c.heads_k * c.size;
    a.q_batch = a.o_batch = c.packed ? 0 : c.length_q * a.q_row, a.k_batch = a.v_batch = c.packed ? 0 : c.length_k * a.k_row;
    a.heads = c.heads, a.heads_k = c.heads_k, a.size = c.size, a.length_q = c.length_q, a.length_k = c.length_k;
    a.total_q = c.packed ? rows_q : 0;
    a.left = c.left, a.right = c.right, a.scale = 1.0f / std::sqrt(static_cast<float>(c.size)), a.cap = c.cap;
    const dim3 grid((c.length_q + ROWS - 1) / ROWS, c.heads, c.batch);
    auto *kernel = c.bf16 ? (c.size > 128 ? attention_bf16_256 : c.size > 64 ? attention_bf16_128 : attention_bf16_64)
                          : (c.size > 128 ? attention_f16_256 : c.size > 64 ? attention_f16_128 : attention_f16_64);
    kernel<<<grid, THREADS>>>(a);
    if (hipMemcpy(o.data(), a.o, o.size() * 2, hipMemcpyDeviceToHost) || hipMemcpy(lse.data(), a.lse, lse.size() * 4, hipMemcpyDeviceToHost)) {
        exit(3);
    }
    const double unit = c.bf16 ? 0x1p-8 : 0x1p-11;
    double worst = 0;
    for (int n = 0; n < c.batch; ++n) {
        const int length_q = starts_q[n + 1] - starts_q[n], length_k = starts_k[n + 1] - starts_k[n];
        for (int head = 0; head < c.heads; ++head) {
            for (int row = 0; row < length_q; ++row) {
                const unsigned short *of_q = &q[(starts_q[n] + row) * a.q_row + head * c.size];
                const int head_k = head / (c.heads / c.heads_k), place = row + length_k - length_q;
                std::vector<double> weights(length_k), expected(c.size);
                double greatest = -INFINITY, sum = 0;
                for (int key = 0; key < length_k; ++key) {
                    const unsigned short *of_k = &k[(starts_k[n] + key) * a.k_row + head_k * c.size];
                    double score = 0;
                    for (int at = 0; at < c.size; ++at) {
                        score += decoded(c.bf16, of_q[at]) * decoded(c.bf16, of_k[at]);
                    }
                    score *= a.scale;
                    score = c.cap ? c.cap * std::tanh(score / c.cap) : score;
                    score -= c.slopes ? slopes[head] * std::abs(place - key) : 0;
                    const bool seen = (c.left < 0 || key >= place - c.left) && (c.right < 0 || key <= place + c.right + wrong);
                    weights[key] = seen && !(c.right < 0 && wrong && key == 0) ? score : -INFINITY;
                    greatest = std::max(greatest, weights[key]);
                }
                for (int key = 0; key < length_k; ++key) {
                    weights[key] = greatest == -INFINITY ? 0 : std::exp(weights[key] - greatest);
                    sum += weights[key];
                    for (int at = 0; at < c.size; ++at) {
                        expected[at] += weights[key] * decoded(c.bf16, v[(starts_k[n] + key) * a.k_row + head_k * c.size + at]);
                    }
                }
                for (int at = 0; at < c.size; ++at) {
                    const double right = sum ? expected[at] / sum : 0;
                    const double made = decoded(c.bf16, o[(starts_q[n] + row) * a.q_row + head * c.size + at]);
                    const double off = std::abs(made - right) / (unit * std::abs(right) + 1e-5);
                    worst = off >= worst || off != off ? off : worst;
                }
                const size_t at = c.packed ? size_t(head) * rows_q + starts_q[n] + row : (size_t(n) * c.heads + head) * c.length_q + row;
                const double right = sum ? greatest + std::log(sum) : INFINITY;
                if (!wrong && !(lse[at] == right || std::abs(lse[at] - right) < 1e-4)) {
                    return INFINITY;
                }
            }
        }
    }
    return worst;
}

int main(int count, char **) {
    const Case cases[] = {
        {false, 64, 2, 4, 4, 33, 33, -1, -1, 0, false, false},   // several tiles, the last with one row
        {true, 64, 1, 4, 2, 37, 37, -1, 0, 0, false, false},     // causal, two heads to a key's
        {false, 128, 1, 6, 2, 45, 71, -1, 0, 0, false, false},   // causal, more keys than rows
        {true, 128, 1, 2, 1, 7, 5, -1, 0, 0, false, false},      // causal, rows that see no key
        {true, 128, 1, 2, 2, 1, 131, -1, -1, 0, false, false},   // one new token
        {false, 96, 1, 2, 2, 40, 40, 9, 3, 0, false, false},     // a window; a size between two kernels'
        {false, 64, 1, 2, 2, 35, 35, -1, 0, 5, true, false},     // capped scores, ALiBi
        {true, 64, 3, 2, 1, 41, 53, -1, 0, 0, false, true},      // packed sequences of different lengths
        {false, 256, 1, 1, 1, 18, 34, -1, -1, 0, false, false},
    };
    int failed = 0;
    for (const Case &c : cases) {
        const double off = off_by(c, count > 1);
        const bool good = off <= 1;
        failed += !good;
        printf("%s size %d off by %.3f: %s\n", c.bf16 ? "bf16" : "f16", c.size, off, good ? "right" : "WRONG");
    }
    printf("%d of %zu wrong\n", failed, sizeof cases / sizeof *cases);
    return failed != 0;
}
