// The work of machine.hip as plain loops, for comparison on one core.
float expf(float), logf(float), sinf(float), cosf(float), tanhf(float), powf(float, float), erff(float), sqrtf(float);

void add(const float *a, const float *b, float *c, int n) { for (int i = 0; i < n; i++) c[i] = a[i] + b[i]; }
void collatz(const int *a, int *out, int n) {
    for (int i = 0; i < n; i++) {
        unsigned x = a[i];
        int steps = 0;
        while (x > 1) x = x & 1 ? 3 * x + 1 : x / 2, steps++;
        out[i] = steps;
    }
}
void matmul(const float *a, const float *b, float *c, int n) {
    for (int y = 0; y < n; y++) {
        for (int x = 0; x < n; x++) c[y * n + x] = 0;
        for (int k = 0; k < n; k++) for (int x = 0; x < n; x++) c[y * n + x] += a[y * n + k] * b[k * n + x];
    }
}
void tree(const float *a, float *out, int n) {
    for (int g = 0; g < n / 256; g++) {
        float s = 0;
        for (int i = 0; i < 256; i++) s += a[g * 256 + i];
        out[g] = s;
    }
}
void shuffle(const float *a, float *out, int n) {
    for (int g = 0; g < n / 64; g++) {
        float s = 0;
        for (int i = 0; i < 64; i++) s += a[g * 64 + i];
        out[g] = s;
    }
}
void ocml(const float *a, float *out, int n) {
    for (int i = 0; i < n; i++) {
        float x = a[i];
        out[i] = expf(x) + logf(x) + sinf(x) + cosf(x) + tanhf(x) + powf(x, 1.5f) + erff(x) + 1 / sqrtf(x);
    }
}
void layernorm(const float *x, float *y, int n) {
    for (int r = 0; r < 1024; r++) {
        float s = 0, q = 0;
        for (int i = 0; i < n; i++) s += x[r * n + i], q += x[r * n + i] * x[r * n + i];
        float m = s / n, k = 1 / sqrtf(q / n - m * m + 1e-5f);
        for (int i = 0; i < n; i++) y[r * n + i] = (x[r * n + i] - m) * k;
    }
}
