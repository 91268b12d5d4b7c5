use cudarc::driver::{CudaSlice, DevicePtr};

fn stream(device: &CudaDevice) {}
# output
target: gaudi
1 build-fail: cudarc::driver
