//! A worker: one program for each back end, and the choice between them.

use tiny_core::{Device, Result};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    Cpu,
    Cuda,
}

impl Backend {
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "cpu" => Some(Self::Cpu),
            "cuda" => Some(Self::Cuda),
            _ => None,
        }
    }

    pub fn device(self) -> Result<Device> {
        match self {
            Self::Cpu => Ok(Device::Cpu),
            Self::Cuda => Device::new_cuda(0),
        }
    }
}

/// The best back end that this program was built with and that finds a GPU.
pub fn best() -> Backend {
    if cuda_is_there() {
        Backend::Cuda
    } else {
        Backend::Cpu
    }
}

fn cuda_is_there() -> bool {
    Device::new_cuda(0).is_ok()
}

pub fn serve(backend: Backend) -> Result<Vec<f32>> {
    backend
        .device()?
        .storage(vec![1., 2., 3.])?
        .affine(2., 1.)?
        .to_vec()
}
