//! The CUDA back end.

use crate::backend::BackendStorage;
use crate::{CpuStorage, Error, Result};
pub use cudarc;
use cudarc::driver::{CudaSlice, DriverError, LaunchConfig, PushKernelArg};
pub use tiny_kernels as kernels;

mod device;
pub use device::CudaDevice;

#[derive(Debug)]
pub struct CudaStorage {
    slice: CudaSlice<f32>,
    device: CudaDevice,
}

/// What the driver says, as an error of this crate.
pub(crate) fn wrap(error: DriverError) -> Error {
    Error::Cuda(error.to_string())
}

impl CudaStorage {
    pub fn as_cuda_slice(&self) -> &CudaSlice<f32> {
        &self.slice
    }

    pub fn wrap_cuda_slice(slice: CudaSlice<f32>, device: CudaDevice) -> Self {
        Self { slice, device }
    }

    pub fn cuda_device(&self) -> &CudaDevice {
        &self.device
    }
}

impl BackendStorage for CudaStorage {
    type Device = CudaDevice;

    fn affine(&self, mul: f32, add: f32) -> Result<Self> {
        let size = self.slice.len();
        let out = self
            .device
            .stream()
            .alloc_zeros::<f32>(size)
            .map_err(wrap)?;
        let function = self
            .device
            .get_or_load_func("affine_f32", &kernels::AFFINE)?;
        let stream = self.device.stream();
        let mut builder = stream.launch_builder(&function);
        builder.arg(&size);
        builder.arg(&self.slice);
        builder.arg(&out);
        builder.arg(&mul);
        builder.arg(&add);
        unsafe { builder.launch(LaunchConfig::for_num_elems(size as u32)) }.map_err(wrap)?;
        Ok(Self {
            slice: out,
            device: self.device.clone(),
        })
    }

    fn sum_rows(&self, columns: usize) -> Result<Self> {
        let rows = self.slice.len() / columns;
        let out = self
            .device
            .stream()
            .alloc_zeros::<f32>(rows)
            .map_err(wrap)?;
        let function = self
            .device
            .get_or_load_func("sum_rows_f32", &kernels::REDUCE)?;
        let config = LaunchConfig {
            grid_dim: (rows as u32, 1, 1),
            block_dim: (32, 1, 1),
            shared_mem_bytes: 0,
        };
        let stream = self.device.stream();
        let mut builder = stream.launch_builder(&function);
        builder.arg(&columns);
        builder.arg(&self.slice);
        builder.arg(&out);
        unsafe { builder.launch(config) }.map_err(wrap)?;
        Ok(Self {
            slice: out,
            device: self.device.clone(),
        })
    }

    fn to_cpu_storage(&self) -> Result<CpuStorage> {
        Ok(CpuStorage(
            self.device.stream().clone_dtoh(&self.slice).map_err(wrap)?,
        ))
    }

    fn device(&self) -> &CudaDevice {
        &self.device
    }
}
