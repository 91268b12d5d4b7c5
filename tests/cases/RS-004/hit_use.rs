use cudarc::driver::{CudaSlice, DevicePtr};
use cudarc::cublas::Gemm;

fn f(x: cudarc::driver::CudaView<f32>) -> cudarc::nvrtc::Ptx {
    todo!()
}
# output
1 build-fail: cudarc::driver
2 build-fail: cudarc::cublas
4 build-fail: cudarc::nvrtc
