use crate::backend::BackendStorage;
use crate::{CudaStorage, CustomOp, Device, Result};

#[derive(Clone, Debug)]
pub struct CpuStorage(pub Vec<f32>);

#[derive(Debug)]
pub enum Storage {
    Cpu(CpuStorage),
    Cuda(CudaStorage),
}

impl Storage {
    pub fn device(&self) -> Device {
        match self {
            Self::Cpu(_) => Device::Cpu,
            Self::Cuda(storage) => Device::Cuda(storage.device().clone()),
        }
    }

    pub fn affine(&self, mul: f32, add: f32) -> Result<Self> {
        match self {
            Self::Cpu(CpuStorage(data)) => Ok(Self::Cpu(CpuStorage(
                data.iter().map(|x| x * mul + add).collect(),
            ))),
            Self::Cuda(storage) => Ok(Self::Cuda(storage.affine(mul, add)?)),
        }
    }

    pub fn sum_rows(&self, columns: usize) -> Result<Self> {
        match self {
            Self::Cpu(CpuStorage(data)) => Ok(Self::Cpu(CpuStorage(
                data.chunks(columns).map(|row| row.iter().sum()).collect(),
            ))),
            Self::Cuda(storage) => Ok(Self::Cuda(storage.sum_rows(columns)?)),
        }
    }

    pub fn apply(&self, op: &dyn CustomOp) -> Result<Self> {
        match self {
            Self::Cpu(storage) => Ok(Self::Cpu(op.cpu_fwd(storage)?)),
            Self::Cuda(storage) => Ok(Self::Cuda(op.cuda_fwd(storage)?)),
        }
    }

    pub fn to_vec(&self) -> Result<Vec<f32>> {
        match self {
            Self::Cpu(CpuStorage(data)) => Ok(data.clone()),
            Self::Cuda(storage) => Ok(storage.to_cpu_storage()?.0),
        }
    }
}
