use crate::{CpuStorage, DeviceLocation, Result};

pub trait BackendStorage: Sized {
    type Device: BackendDevice;

    fn affine(&self, mul: f32, add: f32) -> Result<Self>;
    fn sum_rows(&self, columns: usize) -> Result<Self>;
    fn to_cpu_storage(&self) -> Result<CpuStorage>;
    fn device(&self) -> &Self::Device;
}

pub trait BackendDevice: Sized + Clone {
    type Storage: BackendStorage;

    fn new(ordinal: usize) -> Result<Self>;
    fn location(&self) -> DeviceLocation;
    fn storage_from_cpu_storage(&self, storage: &CpuStorage) -> Result<Self::Storage>;
}
