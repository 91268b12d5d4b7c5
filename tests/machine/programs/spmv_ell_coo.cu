// The same sparse matrix in padded columns (ELL) and as triples (COO) with a segmented sum.
#include "common.h"

__global__ void ell(const int *columns, const float *values, const float *x, float *y, int rows, int width) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int i = 0; i < width; ++i) {
        int column = columns[i * rows + row];
        if (column >= 0) sum += values[i * rows + row] * x[column];
    }
    y[row] = sum;
}

__global__ void coo(const int *row_of, const int *columns, const float *values, const float *x, float *y, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    int row = i < count ? row_of[i] : -1;
    float sum = i < count ? values[i] * x[columns[i]] : 0.0f;
    for (int offset = 1; offset < 32; offset *= 2) {
        float other = __shfl_up_sync(0xffffffff, sum, offset, 32);
        int other_row = __shfl_up_sync(0xffffffff, row, offset, 32);
        if (lane >= offset && other_row == row) sum += other;
    }
    int next_row = __shfl_down_sync(0xffffffff, row, 1, 32);
    if (row >= 0 && (lane == 31 || next_row != row)) atomicAdd(&y[row], sum);
}

int main() {
    const int rows = 2000, width = 12;
    Random random(281);
    std::vector<int> ell_columns(rows * width, -1), coo_rows, coo_columns;
    std::vector<float> ell_values(rows * width, 0.0f), coo_values;
    for (int row = 0; row < rows; ++row)
        for (int i = random.below(width + 1) - 1; i >= 0; --i) {
            int column = random.below(rows);
            float value = random.uniform(-1, 1);
            ell_columns[i * rows + row] = column;
            ell_values[i * rows + row] = value;
            coo_rows.push_back(row);
            coo_columns.push_back(column);
            coo_values.push_back(value);
        }
    const int count = (int)coo_rows.size();
    float *x = to_device(random_floats(rows, 0, 1, 282)), *y = device_zeros<float>(rows), *z = device_zeros<float>(rows);
    int *c = to_device(ell_columns), *r = to_device(coo_rows), *cc = to_device(coo_columns);
    float *v = to_device(ell_values), *cv = to_device(coo_values);
    ell<<<(rows + 127) / 128, 128>>>(c, v, x, y, rows, width);
    coo<<<(count + 127) / 128, 128>>>(r, cc, cv, x, z, count);
    CHECK_KERNEL();
    show("ell", to_host(y, rows));
    show("coo", to_host(z, rows));
    return 0;
}
