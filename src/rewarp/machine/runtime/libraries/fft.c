// One dimension: mixed radices, and Bluestein's convolution for lengths with large prime factors.
#include "fft.h"
#include <math.h>
#include <pthread.h>

enum { LARGEST_RADIX = 31, MOST_FACTORS = 64 };
struct Transform {
    I64 n, factors[MOST_FACTORS];
    int count;
    Z *roots;                                  // exp(-2πi k/n)
    Transform *convolution;                    // Bluestein: of a power of two
    Z *chirp, *filter;
    Transform *next;
};
static Transform *known;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static Z turn(I64 part, I64 whole) {
    double angle = -2 * M_PI * (double)part / (double)whole;
    Z value;
    __real__ value = cos(angle), __imag__ value = sin(angle);
    return value;
}

// The factors from the largest radix down; one that is too large remains.
static I64 split(Transform *t) {
    I64 left = t->n;
    while (left % 4 == 0) t->factors[t->count++] = 4, left /= 4;
    for (I64 radix = 2; radix <= LARGEST_RADIX; ++radix)
        while (left % radix == 0) t->factors[t->count++] = radix, left /= radix;
    return left;
}

// out[0..n) of every `step`-th number: parts first, then joined by the first factor.
static void mixed(const Transform *t, const I64 *factor, I64 n, Z *out, const Z *in, I64 step, int sign) {
    if (n == 1) {
        *out = *in;
        return;
    }
    I64 radix = *factor, part = n / radix, turns = t->n / n;
    for (I64 r = 0; r < radix; ++r) mixed(t, factor + 1, part, out + r * part, in + r * step, step * radix, sign);
    for (I64 k = 0; k < part; ++k) {
        Z parts[LARGEST_RADIX + 1];
        for (I64 r = 0; r < radix; ++r) {
            Z root = t->roots[r * k * turns];
            parts[r] = out[k + r * part] * (sign < 0 ? root : ~root);
        }
        if (radix == 2) {
            out[k] = parts[0] + parts[1], out[k + part] = parts[0] - parts[1];
            continue;
        }
        if (radix == 4) {
            Z a = parts[0] + parts[2], b = parts[0] - parts[2], c = parts[1] + parts[3], d = parts[1] - parts[3], turned;
            __real__ turned = sign < 0 ? __imag__ d : -__imag__ d, __imag__ turned = sign < 0 ? -__real__ d : __real__ d;
            out[k] = a + c, out[k + part] = b + turned, out[k + 2 * part] = a - c, out[k + 3 * part] = b - turned;
            continue;
        }
        for (I64 q = 0; q < radix; ++q) {
            Z sum = parts[0];
            for (I64 r = 1; r < radix; ++r) {
                Z root = t->roots[r * q % radix * (t->n / radix)];
                sum += parts[r] * (sign < 0 ? root : ~root);
            }
            out[k + q * part] = sum;
        }
    }
}

static void dense(const Transform *t, Z *data, int sign);

static void bluestein(const Transform *t, Z *data, int sign) {
    I64 n = t->n, size = t->convolution->n;
    Z *work = room(size * sizeof *work);
    for (I64 i = 0; i < n; ++i) work[i] = (sign < 0 ? data[i] : ~data[i]) * t->chirp[i];
    for (I64 i = n; i < size; ++i) work[i] = 0;
    dense(t->convolution, work, -1);
    for (I64 i = 0; i < size; ++i) work[i] *= t->filter[i];
    dense(t->convolution, work, 1);
    for (I64 i = 0; i < n; ++i) {
        Z value = work[i] * t->chirp[i] / (double)size;
        data[i] = sign < 0 ? value : ~value;
    }
    free(work);
}

static void dense(const Transform *t, Z *data, int sign) {
    if (t->convolution) {
        bluestein(t, data, sign);
        return;
    }
    Z *in = room(t->n * sizeof *in);
    memcpy(in, data, t->n * sizeof *in);
    mixed(t, t->factors, t->n, data, in, 1, sign);
    free(in);
}

static Transform *made(I64 n) {
    for (Transform *t = known; t; t = t->next)
        if (t->n == n) return t;
    Transform *t = room(sizeof *t);
    *t = (Transform){.n = n};
    if (split(t) > 1) {
        I64 size = 1;
        while (size < 2 * n - 1) size *= 2;
        t->convolution = made(size);
        t->chirp = room(n * sizeof(Z)), t->filter = room(size * sizeof(Z));
        for (I64 i = 0; i < size; ++i) t->filter[i] = 0;
        for (I64 i = 0; i < n; ++i) {
            t->chirp[i] = turn(i * i % (2 * n), 2 * n);
            t->filter[i] = t->filter[(size - i) % size] = ~t->chirp[i];
        }
        dense(t->convolution, t->filter, -1);
    } else {
        t->roots = room(n * sizeof(Z));
        for (I64 i = 0; i < n; ++i) t->roots[i] = turn(i, n);
    }
    t->next = known;
    return known = t;
}

Transform *transform_of(I64 length) {
    pthread_mutex_lock(&lock);
    Transform *t = made(length);
    pthread_mutex_unlock(&lock);
    return t;
}

void transform(const Transform *t, Z *data, I64 step, int sign) {
    if (step == 1) {
        dense(t, data, sign);
        return;
    }
    Z *line = room(t->n * sizeof *line);
    for (I64 i = 0; i < t->n; ++i) line[i] = data[i * step];
    dense(t, line, sign);
    for (I64 i = 0; i < t->n; ++i) data[i * step] = line[i];
    free(line);
}
