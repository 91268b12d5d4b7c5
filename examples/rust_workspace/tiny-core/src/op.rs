use crate::{CpuStorage, CudaStorage, Error, Result};

/// An operation of a user's.
pub trait CustomOp {
    fn name(&self) -> &'static str;

    fn cpu_fwd(&self, storage: &CpuStorage) -> Result<CpuStorage>;

    fn cuda_fwd(&self, _: &CudaStorage) -> Result<CudaStorage> {
        Err(Error::Cuda(format!(
            "no cuda implementation for {}",
            self.name()
        )))
    }
}

pub struct Square;

impl CustomOp for Square {
    fn name(&self) -> &'static str {
        "square"
    }

    fn cpu_fwd(&self, CpuStorage(data): &CpuStorage) -> Result<CpuStorage> {
        Ok(CpuStorage(data.iter().map(|x| x * x).collect()))
    }
}
