// use cudarc::driver::CudaSlice;
use mycudarc::driver::CudaSlice;
use rocm_rs::hip::Device;

const TEXT: &str = "cudarc::driver";
# output
