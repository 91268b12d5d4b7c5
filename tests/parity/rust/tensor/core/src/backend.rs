use crate::{Error, Result};

pub enum DType {
    U8,
    F16,
    F32,
}

impl DType {
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::U8 => "u8",
            Self::F16 => "f16",
            Self::F32 => "f32",
        }
    }
}

/// What every back end's storage does.
pub trait BackendStorage: Sized {
    fn scale(&self, by: f64) -> Result<Self>;
    fn sum(&self) -> Result<Self>;
    fn sort(&self) -> Result<Self>;
    fn gather(&self, ids: &Self) -> Result<Self>;
    fn flush(&self) -> Result<()>;
    fn upsample(&self) -> Result<Self>;
    fn name(&self) -> &'static str {
        "storage"
    }
}

/// What every back end's device does.
pub trait BackendDevice: Sized {
    fn synchronize(&self) -> Result<()>;
}

/// An operation that a user defines: one method for each back end.
pub trait CustomOp {
    fn cpu_fwd(&self, s: &CpuStorage) -> Result<CpuStorage>;

    fn cuda_fwd(&self, _s: &CudaStorage) -> Result<CudaStorage> {
        Err(Error::NoCuda)
    }

    fn rocm_fwd(&self, _s: &RocmStorage) -> Result<RocmStorage> {
        Err(Error::NoRocm)
    }
}

pub struct CpuStorage;

impl BackendStorage for CpuStorage {
    fn scale(&self, by: f64) -> Result<Self> {
        go(by)
    }
    fn sum(&self) -> Result<Self> {
        go(0)
    }
    fn sort(&self) -> Result<Self> {
        go(0)
    }
    fn gather(&self, ids: &Self) -> Result<Self> {
        go(ids)
    }
    fn flush(&self) -> Result<()> {
        Ok(())
    }
    fn upsample(&self) -> Result<Self> {
        go(0)
    }
}
