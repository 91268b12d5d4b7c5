// Texture objects: linear memory fetched by number, and an image in an array with clamped, filtered coordinates.
#include "common.h"

__global__ void fetch(cudaTextureObject_t texture, const int *places, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1Dfetch<float>(texture, places[i]) * 2.0f;
}

__global__ void sample(cudaTextureObject_t texture, float *out, int width, int height, float angle) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float u = x - width / 2.0f, v = y - height / 2.0f;
    float tu = u * cosf(angle) - v * sinf(angle) + width / 2.0f, tv = v * cosf(angle) + u * sinf(angle) + height / 2.0f;
    out[y * width + x] = tex2D<float>(texture, tu + 0.5f, tv + 0.5f);
}

int main() {
    const int n = 1000, width = 64, height = 48;
    float *data = to_device(random_floats(n, -1, 1, 591)), *out = device_zeros<float>(n);
    int *places = to_device(random_ints(n, n, 592));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = data;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = n * sizeof(float);
    cudaTextureDesc how = {};
    how.readMode = cudaReadModeElementType;
    cudaTextureObject_t line, image;
    CHECK(cudaCreateTextureObject(&line, &resource, &how, nullptr));
    fetch<<<(n + 127) / 128, 128>>>(line, places, out, n);
    CHECK_KERNEL();
    show("fetched", to_host(out, n));

    std::vector<float> picture(width * height);
    for (int i = 0; i < width * height; ++i) picture[i] = (float)((i % width) * 3 + i / width * 5);
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    CHECK(cudaMallocArray(&array, &format, width, height));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, picture.data(), width * sizeof(float), width * sizeof(float), height, cudaMemcpyHostToDevice));
    cudaResourceDesc from = {};
    from.resType = cudaResourceTypeArray;
    from.res.array.array = array;
    cudaTextureDesc filtered = {};
    filtered.addressMode[0] = filtered.addressMode[1] = cudaAddressModeClamp;
    filtered.filterMode = cudaFilterModePoint;
    filtered.readMode = cudaReadModeElementType;
    CHECK(cudaCreateTextureObject(&image, &from, &filtered, nullptr));
    float *turned = device_zeros<float>(width * height);
    sample<<<dim3((width + 15) / 16, (height + 15) / 16), dim3(16, 16)>>>(image, turned, width, height, 0.3f);
    CHECK_KERNEL();
    show("turned", to_host(turned, width * height));
    CHECK(cudaDestroyTextureObject(line));
    CHECK(cudaDestroyTextureObject(image));
    CHECK(cudaFreeArray(array));
    return 0;
}
