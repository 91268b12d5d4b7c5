//! For builds without CUDA.
pub struct CudaStorage;
pub struct CudaDevice;

impl crate::backend::BackendStorage for CudaStorage {
    fn scale(&self, _: f64) -> Result<Self> {
        Err(Error::NotCompiledWithCuda)
    }
}

impl crate::backend::BackendDevice for CudaDevice {
    fn synchronize(&self) -> Result<()> {
        Err(Error::NotCompiledWithCuda)
    }
}
