//! CUDA.
use crate::backend::{BackendDevice, BackendStorage};
use crate::Result;

pub enum CudaStorageSlice {
    U8(CudaSlice<u8>),
    F16(CudaSlice<f16>),
    F32(CudaSlice<f32>),
}

type S = CudaStorageSlice;

pub struct CudaStorage {
    pub slice: CudaStorageSlice,
    pub device: CudaDevice,
}

pub struct CudaDevice {
    stream: Stream,
    blas: Blas,
}

impl CudaDevice {
    pub fn get_or_load_func(&self, name: &str) -> Result<Func> {
        self.stream.load_function(name)
    }

    pub fn new_stream(&self) -> Result<Stream> {
        self.stream.fork()
    }
}

fn kernel_name<T: WithDType>(root: &str) -> String {
    let dtype = T::DTYPE.as_str();
    format!("{root}_{dtype}")
}

trait Map {
    fn f<T: WithDType>(&self, s: &CudaSlice<T>, d: &CudaDevice) -> Result<CudaSlice<T>>;

    fn map(&self, s: &S, d: &CudaDevice) -> Result<S> {
        Ok(match s {
            S::U8(s) => S::U8(self.f(s, d)?),
            S::F16(s) => S::F16(self.f(s, d)?),
            S::F32(s) => S::F32(self.f(s, d)?),
        })
    }
}

struct Scale(f64);

impl Map for Scale {
    fn f<T: WithDType>(&self, s: &CudaSlice<T>, d: &CudaDevice) -> Result<CudaSlice<T>> {
        d.get_or_load_func(&kernel_name::<T>("scale"))?.launch(s)
    }
}

impl BackendStorage for CudaStorage {
    fn scale(&self, by: f64) -> Result<Self> {
        let slice = Scale(by).map(&self.slice, &self.device)?;
        Ok(Self { slice, device: self.device.clone() })
    }

    fn sum(&self) -> Result<Self> {
        match &self.slice {
            S::F32(s) => self.device.blas.sum_gemm(s),
            S::F16(s) => self.device.blas.sum_gemm(s),
            _ => crate::bail!("sum of u8"),
        }
    }

    fn sort(&self) -> Result<Self> {
        self.device.get_or_load_func("sort_f32")?.launch(self)
    }

    fn gather(&self, ids: &Self) -> Result<Self> {
        self.device.get_or_load_func("gather_f32")?.launch(ids)
    }

    fn flush(&self) -> Result<()> {
        self.device.stream.flush()
    }

    fn upsample(&self) -> Result<Self> {
        crate::bail!("upsample is not supported on cuda")
    }
}

impl BackendDevice for CudaDevice {
    fn synchronize(&self) -> Result<()> {
        self.stream.synchronize()
    }
}

impl CudaStorage {
    /// Only CUDA looks at the device here: no gap.
    fn check(device: &Device) -> Result<()> {
        match device {
            Device::Cuda(_) => Ok(()),
            _ => crate::bail!("not cuda"),
        }
    }
}
