// Sparse rows times a vector: a thread for each row, 32 threads for each row, and conjugate gradients on top.
#include "common.h"

__global__ void by_thread(const int *starts, const int *columns, const double *values, const double *x, double *y, int rows) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    double sum = 0;
    for (int i = starts[row]; i < starts[row + 1]; ++i) sum += values[i] * x[columns[i]];
    y[row] = sum;
}

__global__ void by_many(const int *starts, const int *columns, const double *values, const double *x, double *y, int rows) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    double sum = 0;
    for (int i = starts[row] + lane; i < starts[row + 1]; i += 32) sum += values[i] * x[columns[i]];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset, 32);
    if (lane == 0) y[row] = sum;
}

__global__ void dot(const double *a, const double *b, double *out, int n) {
    __shared__ double sums[256];
    double mine = 0;
    for (int i = threadIdx.x; i < n; i += 256) mine += a[i] * b[i];
    sums[threadIdx.x] = mine;
    __syncthreads();
    for (int stride = 128; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) sums[threadIdx.x] += sums[threadIdx.x + stride];
        __syncthreads();
    }
    if (threadIdx.x == 0) *out = sums[0];
}

__global__ void axpy(double a, const double *x, double b, double *y, int n) {  // y = a x + b y
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + b * y[i];
}

int main() {
    const int rows = 900;
    Random random(271);
    std::vector<int> starts(1, 0), columns;
    std::vector<double> values, right(rows);
    for (int row = 0; row < rows; ++row) {  // a symmetric band that is heaviest on its diagonal
        for (int column = row - 30; column <= row + 30; column += 6) {
            if (column < 0 || column >= rows) continue;
            columns.push_back(column);
            values.push_back(column == row ? 8.0 : -0.5 / (1 + abs(row - column) % 5));
        }
        starts.push_back((int)columns.size());
        right[row] = random.uniform(-1, 1);
    }
    int *s = to_device(starts), *c = to_device(columns);
    double *v = to_device(values), *b = to_device(right), *y = device_zeros<double>(rows), *z = device_zeros<double>(rows);
    by_thread<<<(rows + 127) / 128, 128>>>(s, c, v, b, y, rows);
    by_many<<<(rows * 32 + 127) / 128, 128>>>(s, c, v, b, z, rows);
    CHECK_KERNEL();
    show("by_thread", to_host(y, rows));
    show("by_many", to_host(z, rows));
    double *x = device_zeros<double>(rows), *r = to_device(right), *p = to_device(right), *number = device_zeros<double>(1);
    auto product = [&](const double *a, const double *d) {
        dot<<<1, 256>>>(a, d, number, rows);
        return to_host(number, 1)[0];
    };
    double rest = product(r, r);
    for (int step = 0; step < 12; ++step) {
        by_many<<<(rows * 32 + 127) / 128, 128>>>(s, c, v, p, y, rows);
        double alpha = rest / product(p, y);
        axpy<<<(rows + 255) / 256, 256>>>(alpha, p, 1.0, x, rows);
        axpy<<<(rows + 255) / 256, 256>>>(-alpha, y, 1.0, r, rows);
        double next = product(r, r);
        axpy<<<(rows + 255) / 256, 256>>>(1.0, r, next / rest, p, rows);
        rest = next;
    }
    show("solution", to_host(x, rows));
    return 0;
}
