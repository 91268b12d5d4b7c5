use crate::Result;

pub enum Device {
    Cpu,
    Cuda(CudaDevice),
    Rocm(RocmDevice),
}

impl Device {
    pub fn new_cuda(ordinal: usize) -> Result<Self> {
        Ok(Self::Cuda(CudaDevice::new(ordinal)?))
    }

    pub fn new_rocm(ordinal: usize) -> Result<Self> {
        Ok(Self::Rocm(RocmDevice::new(ordinal)?))
    }

    pub fn synchronize(&self) -> Result<()> {
        match self {
            Self::Cpu => Ok(()),
            Self::Cuda(device) => device.synchronize(),
            Self::Rocm(device) => device.synchronize(),
        }
    }

    pub fn ordinal(&self) -> usize {
        match self {
            Self::Cpu => 0,
            Self::Cuda(device) => device.ordinal(),
        }
    }

    pub fn zeros(&self) -> Result<()> {
        match self {
            Self::Cpu => Ok(()),
            Self::Cuda(device) => device.zeros(),
            _ => crate::bail!("no zeros on this device"),
        }
    }

    pub fn is_gpu(&self) -> bool {
        match self {
            Device::Cuda(_) | Device::Rocm(_) => true,
            Device::Cpu => false,
        }
    }

    pub fn label(&self) -> &str {
        match self {
            Device::Cuda(_) => "gpu",
            _ => "other",
        }
    }
}
