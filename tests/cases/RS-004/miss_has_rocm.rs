#[cfg(feature = "cuda")]
use cudarc::driver::CudaSlice as Slice;
#[cfg(feature = "rocm")]
use rocm_rs::hip::DeviceMemory as Slice;
# output
2 info: cudarc::driver
