use crate::Result;

pub enum Storage {
    Cpu(CpuStorage),
    Cuda(CudaStorage),
    Rocm(RocmStorage),
}

impl Storage {
    pub fn add(&self, rhs: &Self) -> Result<Self> {
        match (self, rhs) {
            (Self::Cuda(a), Self::Cuda(b)) => Ok(Self::Cuda(a.add(b)?)),
            (Self::Rocm(_), Self::Rocm(_)) => todo!("add on rocm"),
            _ => crate::bail!("devices differ"),
        }
    }

    pub fn scale(&self) -> Result<Self> {
        match self {
            Self::Cuda(s) => Ok(Self::Cuda(s.scale(2.0)?)),
            Self::Rocm(s) => Ok(Self::Rocm(s.scale(2.0)?)),
            Self::Cpu(s) => Ok(Self::Cpu(s.scale(2.0)?)),
        }
    }
}
