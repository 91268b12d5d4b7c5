// Attention in one kernel: softmax(scale * Q Kᵀ + bias) V, forward, without the scores ever standing in memory. Keys are taken
// a tile at a time, and each row of the result carries its maximum and its sum along.
//
// A block computes ROWS rows of one head; four threads share a row. Every value passes through shared memory or between
// those four, so that it means the same on waves of 32 and of 64. Plain arithmetic in float32: no matrix units.
#include <hip/hip_runtime.h>

// As in hiparc/src/attention.rs. Strides count elements.
struct Attention {
    const unsigned short *q, *k, *v;
    unsigned short *o;
    float *lse;              // null: not wanted
    const float *slopes;     // of ALiBi; null: none
    const int *starts_q;     // where each sequence starts, one more than there are; null: all are equally long
    const int *starts_k;
    unsigned q_batch, k_batch, v_batch, o_batch, slopes_batch;
    unsigned q_row, k_row, v_row, o_row;
    unsigned q_head, k_head, v_head, o_head;
    unsigned heads, heads_k, size, length_q, length_k;
    unsigned total_q;        // not 0: lse has no room for padding
    int left, right;         // how far a row sees from its own place; negative: without end
    float scale, cap;        // cap 0: none
};

constexpr int ROWS = 32, KEYS = 32, SHARING = 4, THREADS = ROWS * SHARING;

struct F16 {
    static __device__ float low(unsigned word) { return value(word); }
    static __device__ float high(unsigned word) { return value(word >> 16); }
    static __device__ unsigned short rounded(float x) {
        _Float16 made = static_cast<_Float16>(x);
        unsigned short bits;
        __builtin_memcpy(&bits, &made, 2);
        return bits;
    }

  private:
    static __device__ float value(unsigned word) {
        unsigned short bits = static_cast<unsigned short>(word);
        _Float16 made;
        __builtin_memcpy(&made, &bits, 2);
        return static_cast<float>(made);
    }
};

struct BF16 {
    static __device__ float low(unsigned word) { return __uint_as_float(word << 16); }
    static __device__ float high(unsigned word) { return __uint_as_float(word & 0xffff0000u); }
    static __device__ unsigned short rounded(float x) {
        unsigned bits = __float_as_uint(x);
        if (x != x) {
            return static_cast<unsigned short>(bits >> 16 | 0x40);
        }
        return static_cast<unsigned short>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    }
};

// A tile of rows into shared memory, two elements to a word; nothing but zeros beyond the last row and the head's size.
template <int WORDS, int COUNT>
__device__ void load(unsigned (&to)[COUNT][WORDS + 1], const unsigned short *from, unsigned stride, int first, int rows, int size) {
    for (int at = threadIdx.x; at < COUNT * WORDS; at += THREADS) {
        const int row = at / WORDS, word = at % WORDS;
        unsigned made = 0;
        if (first + row < rows) {
            const unsigned short *pair = from + static_cast<size_t>(first + row) * stride + 2 * word;
            made = 2 * word < size ? pair[0] : 0;
            made |= 2 * word + 1 < size ? static_cast<unsigned>(pair[1]) << 16 : 0;
        }
        to[row][word] = made;
    }
}

__device__ float greatest_of_row(float x) {
    x = fmaxf(x, __shfl_xor(x, 1, SHARING));
    return fmaxf(x, __shfl_xor(x, 2, SHARING));
}

__device__ float sum_of_row(float x) {
    x += __shfl_xor(x, 1, SHARING);
    return x + __shfl_xor(x, 2, SHARING);
}

template <typename Type, int SIZE> __device__ void attend(const Attention &a) {
    constexpr int WORDS = SIZE / 2, OWN_KEYS = KEYS / SHARING, OWN_WORDS = WORDS / SHARING;
    // One word more to a row, so that rows do not start in the same bank.
    __shared__ unsigned q[ROWS][WORDS + 1], k[KEYS][WORDS + 1], v[KEYS][WORDS + 1];
    __shared__ float weights[ROWS][KEYS + 1];

    const int batch = blockIdx.z, head = blockIdx.y, head_k = head / (a.heads / a.heads_k);
    const int start_q = a.starts_q ? a.starts_q[batch] : 0, start_k = a.starts_k ? a.starts_k[batch] : 0;
    const int length_q = a.starts_q ? a.starts_q[batch + 1] - start_q : a.length_q;
    const int length_k = a.starts_k ? a.starts_k[batch + 1] - start_k : a.length_k;
    const int first_row = blockIdx.x * ROWS;
    if (first_row >= length_q) {
        return;
    }
    const size_t batch_q = a.starts_q ? 0 : batch, batch_k = a.starts_k ? 0 : batch;
    const unsigned short *from_q = a.q + batch_q * a.q_batch + size_t(start_q) * a.q_row + size_t(head) * a.q_head;
    const unsigned short *from_k = a.k + batch_k * a.k_batch + size_t(start_k) * a.k_row + size_t(head_k) * a.k_head;
    const unsigned short *from_v = a.v + batch_k * a.v_batch + size_t(start_k) * a.v_row + size_t(head_k) * a.v_head;
    const float slope = a.slopes ? a.slopes[size_t(batch) * a.slopes_batch + head] : 0.0f;

    const int row = threadIdx.x / SHARING, part = threadIdx.x % SHARING;
    // The last row stands at the last key.
    const int place = first_row + row + length_k - length_q;
    const int last_place = min(first_row + ROWS, length_q) - 1 + length_k - length_q;
    const int first_key = a.left < 0 ? 0 : max(0, first_row + length_k - length_q - a.left);
    const int end_key = a.right < 0 ? length_k : min(length_k, last_place + a.right + 1);

    load<WORDS>(q, from_q, a.q_row, first_row, length_q, a.size);
    float made[OWN_WORDS * 2] = {};
    float greatest = -INFINITY, sum = 0.0f;

    for (int key = first_key; key < end_key; key += KEYS) {
        __syncthreads();
        load<WORDS>(k, from_k, a.k_row, key, length_k, a.size);
        load<WORDS>(v, from_v, a.v_row, key, length_k, a.size);
        __syncthreads();

        float scores[OWN_KEYS] = {};
        for (int word = 0; word < WORDS; ++word) {
            const unsigned pair = q[row][word];
            const float x = Type::low(pair), y = Type::high(pair);
            for (int n = 0; n < OWN_KEYS; ++n) {
                const unsigned other = k[part + SHARING * n][word];
                scores[n] += x * Type::low(other) + y * Type::high(other);
            }
        }
        float highest = -INFINITY;
        for (int n = 0; n < OWN_KEYS; ++n) {
            const int at = key + part + SHARING * n;
            float score = scores[n] * a.scale;
            if (a.cap != 0.0f) {
                score = a.cap * tanhf(score / a.cap);
            }
            score -= slope * static_cast<float>(abs(place - at));
            const bool seen = at < length_k && (a.left < 0 || at >= place - a.left) && (a.right < 0 || at <= place + a.right);
            scores[n] = seen ? score : -INFINITY;
            highest = fmaxf(highest, scores[n]);
        }
        highest = fmaxf(greatest, greatest_of_row(highest));
        // A row that has seen no key yet has no maximum to take away.
        const float base = highest == -INFINITY ? 0.0f : highest;
        const float fade = expf(greatest - base);
        greatest = highest;
        float added = 0.0f;
        for (int n = 0; n < OWN_KEYS; ++n) {
            const float weight = expf(scores[n] - base);
            weights[row][part + SHARING * n] = weight;
            added += weight;
        }
        sum = sum * fade + sum_of_row(added);
        for (int n = 0; n < OWN_WORDS * 2; ++n) {
            made[n] *= fade;
        }
        __syncthreads();
        for (int n = 0; n < KEYS; ++n) {
            const float weight = weights[row][n];
            for (int word = 0; word < OWN_WORDS; ++word) {
                const unsigned pair = v[n][part + SHARING * word];
                made[2 * word] += weight * Type::low(pair);
                made[2 * word + 1] += weight * Type::high(pair);
            }
        }
    }

    if (first_row + row >= length_q) {
        return;
    }
    // A row that sees no key is 0.
    const float share = sum == 0.0f ? 0.0f : 1.0f / sum;
    unsigned short *to = a.o + batch_q * a.o_batch + size_t(start_q + first_row + row) * a.o_row + size_t(head) * a.o_head;
    for (int word = 0; word < OWN_WORDS; ++word) {
        const int column = 2 * (part + SHARING * word);
        for (int n = 0; n < 2; ++n) {
            if (column + n < static_cast<int>(a.size)) {
                to[column + n] = Type::rounded(made[2 * word + n] * share);
            }
        }
    }
    if (a.lse && part == 0) {
        const size_t at = a.total_q ? size_t(head) * a.total_q + start_q + first_row + row
                                    : (size_t(batch) * a.heads + head) * a.length_q + first_row + row;
        a.lse[at] = sum == 0.0f ? INFINITY : greatest + logf(sum);
    }
}

#define ATTENTION(NAME, TYPE, SIZE) \
    extern "C" __global__ void __launch_bounds__(THREADS) attention_##NAME##_##SIZE(Attention a) { attend<TYPE, SIZE>(a); }
ATTENTION(f16, F16, 64)
ATTENTION(f16, F16, 128)
ATTENTION(f16, F16, 256)
ATTENTION(bf16, BF16, 64)
ATTENTION(bf16, BF16, 128)
ATTENTION(bf16, BF16, 256)
