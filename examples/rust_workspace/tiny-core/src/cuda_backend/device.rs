use super::{kernels, wrap, CudaStorage};
use crate::backend::BackendDevice;
use crate::{CpuStorage, DeviceLocation, Result};
use cudarc::driver::{CudaContext, CudaFunction, CudaModule, CudaSlice, CudaStream};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

#[derive(Clone, Debug)]
pub struct CudaDevice {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    modules: Arc<Mutex<HashMap<&'static str, Arc<CudaModule>>>>,
}

impl CudaDevice {
    pub fn stream(&self) -> Arc<CudaStream> {
        self.stream.clone()
    }

    pub fn zeros(&self, size: usize) -> Result<CudaSlice<f32>> {
        self.stream.alloc_zeros(size).map_err(wrap)
    }

    pub fn get_or_load_func(&self, name: &str, module: &kernels::Module) -> Result<CudaFunction> {
        let mut modules = self.modules.lock().unwrap();
        if !modules.contains_key(module.name()) {
            let loaded = self
                .context
                .load_module(module.ptx().into())
                .map_err(wrap)?;
            modules.insert(module.name(), loaded);
        }
        modules[module.name()].load_function(name).map_err(wrap)
    }
}

impl BackendDevice for CudaDevice {
    type Storage = CudaStorage;

    fn new(ordinal: usize) -> Result<Self> {
        let context = CudaContext::new(ordinal).map_err(wrap)?;
        let stream = context.default_stream();
        Ok(Self {
            context,
            stream,
            modules: Arc::default(),
        })
    }

    fn location(&self) -> DeviceLocation {
        DeviceLocation::Cuda {
            gpu_id: self.context.ordinal(),
        }
    }

    fn storage_from_cpu_storage(&self, CpuStorage(data): &CpuStorage) -> Result<CudaStorage> {
        let slice = self.stream.clone_htod(data).map_err(wrap)?;
        Ok(CudaStorage {
            slice,
            device: self.clone(),
        })
    }
}
