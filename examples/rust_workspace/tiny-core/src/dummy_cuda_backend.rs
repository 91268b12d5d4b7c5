//! Stands for the CUDA back end in builds without it, so that every enum has the same variants.

use crate::backend::{BackendDevice, BackendStorage};
use crate::{CpuStorage, DeviceLocation, Error, Result};

#[derive(Clone, Debug)]
pub struct CudaDevice;

#[derive(Debug)]
pub struct CudaStorage;

impl BackendStorage for CudaStorage {
    type Device = CudaDevice;

    fn affine(&self, _: f32, _: f32) -> Result<Self> {
        Err(Error::NotCompiledWithCudaSupport)
    }

    fn sum_rows(&self, _: usize) -> Result<Self> {
        Err(Error::NotCompiledWithCudaSupport)
    }

    fn to_cpu_storage(&self) -> Result<CpuStorage> {
        Err(Error::NotCompiledWithCudaSupport)
    }

    fn device(&self) -> &CudaDevice {
        unreachable!("there is no CudaStorage without the feature cuda")
    }
}

impl BackendDevice for CudaDevice {
    type Storage = CudaStorage;

    fn new(_: usize) -> Result<Self> {
        Err(Error::NotCompiledWithCudaSupport)
    }

    fn location(&self) -> DeviceLocation {
        unreachable!("there is no CudaDevice without the feature cuda")
    }

    fn storage_from_cpu_storage(&self, _: &CpuStorage) -> Result<CudaStorage> {
        Err(Error::NotCompiledWithCudaSupport)
    }
}
