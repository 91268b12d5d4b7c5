// torch's tensors of the CPU in memory that the HIP runtime gave out: kernels may use it, and its bounds are known.
#include <c10/core/CPUAllocator.h>
#include <hip/hip_runtime_api.h>
#include <new>

namespace {

void release(void* memory) { (void)hipHostFree(memory); }

struct Memory final : c10::Allocator {
  c10::DataPtr allocate(size_t size) override {
    void* memory = nullptr;
    if (size && hipHostMalloc(&memory, size, 0) != hipSuccess) throw std::bad_alloc();
    return {memory, memory, &release, c10::Device(c10::DeviceType::CPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &release; }
  void copy_data(void* to, const void* from, std::size_t size) const override { default_copy_data(to, from, size); }
};

Memory memory;
c10::Allocator* before = nullptr;
constexpr uint8_t HIGHEST = 255;

}  // namespace

extern "C" void rewarp_take_memory() {
  before = c10::GetCPUAllocator();
  c10::SetCPUAllocator(&memory, HIGHEST);
}
extern "C" void rewarp_give_memory_back() { c10::SetCPUAllocator(before, HIGHEST); }
