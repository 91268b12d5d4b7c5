//! Vectors on a CPU or a GPU.

pub mod backend;
#[cfg(feature = "cuda")]
pub mod cuda_backend;
mod device;
pub mod dummy_cuda_backend;
mod error;
mod op;
mod storage;
pub mod test_utils;

#[cfg(feature = "cuda")]
pub use cuda_backend as cuda;
#[cfg(not(feature = "cuda"))]
pub use dummy_cuda_backend as cuda;

pub use cuda::{CudaDevice, CudaStorage};
pub use device::{Device, DeviceLocation};
pub use error::{Error, Result};
pub use op::{CustomOp, Square};
pub use storage::{CpuStorage, Storage};
