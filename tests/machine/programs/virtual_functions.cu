// Objects with virtual functions, made and used on the GPU by placement new in device memory.
#include "common.h"
#include <new>

class Shape {
  public:
    __device__ virtual float area() const = 0;
    __device__ virtual float edge() const { return 0.0f; }
    __device__ virtual ~Shape() {}
};

class Circle : public Shape {
  public:
    __device__ explicit Circle(float radius) : radius(radius) {}
    __device__ float area() const override { return 3.14159265f * radius * radius; }
    __device__ float edge() const override { return 6.28318531f * radius; }

  private:
    float radius;
};

class Rectangle : public Shape {
  public:
    __device__ Rectangle(float width, float height) : width(width), height(height) {}
    __device__ float area() const override { return width * height; }
    __device__ float edge() const override { return 2.0f * (width + height); }

  protected:
    float width, height;
};

class Square : public Rectangle {
  public:
    __device__ explicit Square(float side) : Rectangle(side, side) {}
    __device__ float edge() const override { return 4.0f * width; }
};

constexpr int PLACE = 32;

__global__ void make(unsigned char *memory, Shape **shapes, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    void *place = memory + i * PLACE;
    if (i % 3 == 0) shapes[i] = new (place) Circle(i * 0.1f);
    else if (i % 3 == 1) shapes[i] = new (place) Rectangle(i * 0.2f, 3.0f);
    else shapes[i] = new (place) Square(i * 0.3f);
}

__global__ void measure(Shape *const *shapes, float *areas, float *edges, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    areas[i] = shapes[i]->area();
    edges[i] = shapes[i]->edge();
    shapes[i]->~Shape();
}

int main() {
    const int n = 600;
    unsigned char *memory = device_zeros<unsigned char>(n * PLACE);
    Shape **shapes = device_zeros<Shape *>(n);
    float *areas = device_zeros<float>(n), *edges = device_zeros<float>(n);
    make<<<(n + 63) / 64, 64>>>(memory, shapes, n);
    measure<<<(n + 63) / 64, 64>>>(shapes, areas, edges, n);
    CHECK_KERNEL();
    show("areas", to_host(areas, n));
    show("edges", to_host(edges, n));
    return 0;
}
