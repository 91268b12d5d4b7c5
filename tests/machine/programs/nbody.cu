// Bodies under gravity: forces from tiles of positions in shared memory, leapfrog steps, energy at the end.
#include "common.h"

constexpr int BLOCK = 128;

__global__ void accelerations(const float4 *bodies, float3 *out, int n, float softening) {
    __shared__ float4 tile[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float4 me = i < n ? bodies[i] : make_float4(0, 0, 0, 0);
    float3 sum = make_float3(0, 0, 0);
    for (int start = 0; start < n; start += BLOCK) {
        int other = start + threadIdx.x;
        tile[threadIdx.x] = other < n ? bodies[other] : make_float4(0, 0, 0, 0);
        __syncthreads();
        for (int j = 0; j < BLOCK; ++j) {
            float dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
            float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + softening);
            float strength = tile[j].w * inverse * inverse * inverse;
            sum.x += dx * strength;
            sum.y += dy * strength;
            sum.z += dz * strength;
        }
        __syncthreads();
    }
    if (i < n) out[i] = sum;
}

__global__ void advance(float4 *bodies, float3 *speeds, const float3 *forces, int n, float dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    speeds[i].x += forces[i].x * dt;
    speeds[i].y += forces[i].y * dt;
    speeds[i].z += forces[i].z * dt;
    bodies[i].x += speeds[i].x * dt;
    bodies[i].y += speeds[i].y * dt;
    bodies[i].z += speeds[i].z * dt;
}

int main() {
    const int n = 400;
    Random random(211);
    std::vector<float4> start(n);
    for (float4 &body : start) {
        body.x = random.uniform(-1, 1);
        body.y = random.uniform(-1, 1);
        body.z = random.uniform(-1, 1);
        body.w = random.uniform(0.5f, 1.5f) / n;
    }
    float4 *bodies = to_device(start);
    float3 *speeds = device_zeros<float3>(n), *forces = device_zeros<float3>(n);
    const int blocks = (n + BLOCK - 1) / BLOCK;
    for (int step = 0; step < 5; ++step) {
        accelerations<<<blocks, BLOCK>>>(bodies, forces, n, 0.01f);
        advance<<<blocks, BLOCK>>>(bodies, speeds, forces, n, 0.01f);
    }
    CHECK_KERNEL();
    std::vector<float> places, energies;
    for (float4 body : to_host(bodies, n)) places.push_back(body.x + body.y + body.z);
    for (float3 speed : to_host(speeds, n)) energies.push_back(speed.x * speed.x + speed.y * speed.y + speed.z * speed.z);
    show("places", places);
    show("energies", energies);
    return 0;
}
