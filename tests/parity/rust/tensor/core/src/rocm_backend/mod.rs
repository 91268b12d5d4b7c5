//! ROCm: some of it.
use crate::backend::{BackendDevice, BackendStorage};
use crate::Result;

pub enum RocmStorageSlice {
    F16(Mem<f16>),
    F32(Mem<f32>),
}

type S = RocmStorageSlice;

pub struct RocmStorage {
    pub slice: RocmStorageSlice,
    pub device: RocmDevice,
}

pub struct RocmDevice {
    stream: Stream,
}

impl RocmDevice {
    pub fn get_or_load_func(&self, name: &str) -> Result<Func> {
        self.stream.load_function(name)
    }
}

impl BackendStorage for RocmStorage {
    fn scale(&self, by: f64) -> Result<Self> {
        match &self.slice {
            S::F32(s) => self.device.get_or_load_func("scale_f32")?.launch(s, by),
            S::F16(_) => unsupported("scale of f16"),
        }
    }

    fn sum(&self) -> Result<Self> {
        let cpu = self.to_cpu_storage()?;
        self.device.storage_from_cpu_storage(&cpu.sum()?)
    }

    fn sort(&self) -> Result<Self> {
        self.device.get_or_load_func("bitonic_sort_f32")?.launch(self)
    }

    fn flush(&self) -> Result<()> {
        // TODO: flush the stream.
        Ok(())
    }

    fn upsample(&self) -> Result<Self> {
        crate::bail!("upsample is not supported on rocm")
    }
}

fn unsupported(what: &str) -> Result<RocmStorage> {
    Err(Error::Msg(what.into()))
}
