use crate::backend::BackendDevice;
use crate::{bail, CpuStorage, CudaDevice, Result, Storage};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceLocation {
    Cpu,
    Cuda { gpu_id: usize },
}

#[derive(Clone, Debug)]
pub enum Device {
    Cpu,
    Cuda(CudaDevice),
}

impl Device {
    pub fn new_cuda(ordinal: usize) -> Result<Self> {
        Ok(Self::Cuda(CudaDevice::new(ordinal)?))
    }

    pub fn as_cuda_device(&self) -> Result<&CudaDevice> {
        match self {
            Self::Cuda(device) => Ok(device),
            Self::Cpu => bail!("expected a cuda device, got cpu"),
        }
    }

    pub fn location(&self) -> DeviceLocation {
        match self {
            Self::Cpu => DeviceLocation::Cpu,
            Self::Cuda(device) => device.location(),
        }
    }

    pub fn is_cpu(&self) -> bool {
        matches!(self, Self::Cpu)
    }

    pub fn is_cuda(&self) -> bool {
        matches!(self, Self::Cuda(_))
    }

    /// The tile that matrices are cut into.
    pub fn tile(&self) -> usize {
        if self.is_cuda() {
            128
        } else {
            16
        }
    }

    pub fn storage(&self, data: Vec<f32>) -> Result<Storage> {
        match self {
            Device::Cpu => Ok(Storage::Cpu(CpuStorage(data))),
            Device::Cuda(device) => {
                let storage = device.storage_from_cpu_storage(&CpuStorage(data))?;
                Ok(Storage::Cuda(storage))
            }
        }
    }
}
