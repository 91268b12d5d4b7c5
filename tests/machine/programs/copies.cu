// Memory in rows and boxes: pitched allocations, copies of rectangles, fills by value and by rows, device to device.
#include "common.h"

__global__ void double_rows(float *data, size_t pitch, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < width && y < height) {
        float *row = reinterpret_cast<float *>(reinterpret_cast<char *>(data) + y * pitch);
        row[x] = row[x] * 2.0f + y;
    }
}

__global__ void touch_box(cudaPitchedPtr box, int width, int height, int depth) {
    int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
    if (x >= width) return;
    char *slice = static_cast<char *>(box.ptr) + z * box.pitch * height;
    reinterpret_cast<int *>(slice + y * box.pitch)[x] += x + 10 * y + 100 * z;
}

int main() {
    const int width = 37, height = 21, depth = 5;
    std::vector<float> image = random_floats(width * height, -1, 1, 561), back(width * height), part(10 * 6);
    float *pitched;
    size_t pitch;
    CHECK(cudaMallocPitch(&pitched, &pitch, width * sizeof(float), height));
    CHECK(cudaMemcpy2D(pitched, pitch, image.data(), width * sizeof(float), width * sizeof(float), height, cudaMemcpyHostToDevice));
    double_rows<<<dim3(1, height), 64>>>(pitched, pitch, width, height);
    CHECK(cudaMemcpy2D(back.data(), width * sizeof(float), pitched, pitch, width * sizeof(float), height, cudaMemcpyDeviceToHost));
    show("image", back);
    const char *corner = reinterpret_cast<const char *>(pitched) + 4 * pitch + 7 * sizeof(float);
    CHECK(cudaMemcpy2D(part.data(), 10 * sizeof(float), corner, pitch, 10 * sizeof(float), 6, cudaMemcpyDeviceToHost));
    show("part", part);
    CHECK(cudaMemset2D(pitched, pitch, 0, 12 * sizeof(float), 9));
    CHECK(cudaMemcpy2D(back.data(), width * sizeof(float), pitched, pitch, width * sizeof(float), height, cudaMemcpyDeviceToHost));
    show("cleared", back);

    std::vector<int> box = random_ints(width * height * depth, 1000, 562), box_back(box.size());
    cudaExtent extent = make_cudaExtent(width * sizeof(int), height, depth);
    cudaPitchedPtr device;
    CHECK(cudaMalloc3D(&device, extent));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(box.data(), width * sizeof(int), width, height);
    copy.dstPtr = device;
    copy.extent = extent;
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    touch_box<<<dim3(height, depth), 64>>>(device, width, height, depth);
    cudaMemcpy3DParms again = {};
    again.srcPtr = device;
    again.dstPtr = make_cudaPitchedPtr(box_back.data(), width * sizeof(int), width, height);
    again.extent = extent;
    again.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&again));
    show("box", box_back);

    int *a = to_device(box), *b = device_zeros<int>(box.size());
    CHECK(cudaMemcpy(b + 10, a, 500 * sizeof(int), cudaMemcpyDeviceToDevice));
    CHECK(cudaMemset(b + 100, 0x5a, 40 * sizeof(int)));
    CHECK(cudaMemcpyAsync(b + 600, b, 300 * sizeof(int), cudaMemcpyDefault));
    CHECK(cudaDeviceSynchronize());
    show("copied", to_host(b, box.size()));
    return 0;
}
