//! A GPU, and what is loaded on it.

use std::ffi::{c_char, CStr, CString};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use super::stream::HipStream;
use super::{checked, sys, HipError};
use crate::hiprtc::Hsaco;

/// Whether HIP is here and finds a GPU.
pub fn is_available() -> bool {
    HipContext::device_count().is_ok_and(|count| count > 0)
}

/// A GPU of this machine.
#[derive(Debug)]
pub struct HipContext {
    ordinal: usize,
    event_tracking: AtomicBool,
    async_memory: AtomicBool,
}

impl HipContext {
    pub fn new(ordinal: usize) -> Result<Arc<Self>, HipError> {
        checked(unsafe { sys::hipInit(0) })?;
        checked(unsafe { sys::hipSetDevice(ordinal as i32) })?;
        Ok(Arc::new(Self {
            ordinal,
            event_tracking: AtomicBool::new(true),
            async_memory: AtomicBool::new(true),
        }))
    }

    pub fn device_count() -> Result<i32, HipError> {
        let mut count = 0;
        checked(unsafe { sys::hipGetDeviceCount(&mut count) })?;
        Ok(count)
    }

    pub fn ordinal(&self) -> usize {
        self.ordinal
    }

    pub fn hip_device(&self) -> sys::hipDevice_t {
        self.ordinal as i32
    }

    pub fn name(&self) -> Result<String, HipError> {
        let mut name = [0 as c_char; 256];
        checked(unsafe {
            sys::hipDeviceGetName(name.as_mut_ptr(), name.len() as i32, self.hip_device())
        })?;
        Ok(unsafe { CStr::from_ptr(name.as_ptr()) }
            .to_string_lossy()
            .into_owned())
    }

    /// Memory that is free, and all of it.
    pub fn mem_get_info(&self) -> Result<(usize, usize), HipError> {
        self.bind_to_thread()?;
        let (mut free, mut total) = (0, 0);
        checked(unsafe { sys::hipMemGetInfo(&mut free, &mut total) })?;
        Ok((free, total))
    }

    pub fn bind_to_thread(&self) -> Result<(), HipError> {
        checked(unsafe { sys::hipSetDevice(self.ordinal as i32) })
    }

    pub fn synchronize(&self) -> Result<(), HipError> {
        self.bind_to_thread()?;
        checked(unsafe { sys::hipDeviceSynchronize() })
    }

    pub fn is_event_tracking(&self) -> bool {
        self.event_tracking.load(Ordering::Relaxed)
    }

    /// # Safety
    /// Every slice that was made while tracking was off has to be idle.
    pub unsafe fn enable_event_tracking(&self) {
        self.event_tracking.store(true, Ordering::Relaxed)
    }

    /// Streams no longer wait for each other where they use the same memory.
    ///
    /// # Safety
    /// Whoever uses memory on two streams has to order them.
    pub unsafe fn disable_event_tracking(&self) {
        self.event_tracking.store(false, Ordering::Relaxed)
    }

    /// Whether memory is taken and given back in the order of a stream. It is until the driver says that it cannot.
    pub(crate) fn has_async_memory(&self) -> bool {
        self.async_memory.load(Ordering::Relaxed)
    }

    pub(crate) fn without_async_memory(&self) {
        self.async_memory.store(false, Ordering::Relaxed)
    }

    pub fn default_stream(self: &Arc<Self>) -> Arc<HipStream> {
        Arc::new(HipStream::borrowed(std::ptr::null_mut(), self.clone()))
    }

    pub fn per_thread_stream(self: &Arc<Self>) -> Arc<HipStream> {
        Arc::new(HipStream::borrowed(sys::hipStreamPerThread, self.clone()))
    }

    pub fn new_stream(self: &Arc<Self>) -> Result<Arc<HipStream>, HipError> {
        HipStream::created(self.clone()).map(Arc::new)
    }

    pub fn new_event(self: &Arc<Self>, flags: Option<u32>) -> Result<HipEvent, HipError> {
        self.bind_to_thread()?;
        let mut event = std::ptr::null_mut();
        checked(unsafe {
            sys::hipEventCreateWithFlags(&mut event, flags.unwrap_or(sys::hipEventDisableTiming))
        })?;
        Ok(HipEvent {
            event,
            context: self.clone(),
        })
    }

    pub fn load_module(self: &Arc<Self>, code: Hsaco) -> Result<Arc<HipModule>, HipError> {
        self.bind_to_thread()?;
        let code = code.code_object()?;
        if code.is_empty() {
            return Err(HipError::EmptyModule);
        }
        let mut module = std::ptr::null_mut();
        checked(unsafe { sys::hipModuleLoadData(&mut module, code.as_ptr().cast()) })?;
        Ok(Arc::new(HipModule {
            module,
            context: self.clone(),
        }))
    }
}

/// A point in a stream.
#[derive(Debug)]
pub struct HipEvent {
    event: sys::hipEvent_t,
    context: Arc<HipContext>,
}

unsafe impl Send for HipEvent {}
unsafe impl Sync for HipEvent {}

impl HipEvent {
    pub fn hip_event(&self) -> sys::hipEvent_t {
        self.event
    }

    pub fn context(&self) -> &Arc<HipContext> {
        &self.context
    }

    pub fn record(&self, stream: &HipStream) -> Result<(), HipError> {
        checked(unsafe { sys::hipEventRecord(self.event, stream.hip_stream()) })
    }

    pub fn synchronize(&self) -> Result<(), HipError> {
        checked(unsafe { sys::hipEventSynchronize(self.event) })
    }

    pub fn elapsed_ms(&self, end: &Self) -> Result<f32, HipError> {
        let mut milliseconds = 0.;
        checked(unsafe { sys::hipEventElapsedTime(&mut milliseconds, self.event, end.event) })?;
        Ok(milliseconds)
    }
}

impl Drop for HipEvent {
    fn drop(&mut self) {
        let _ = unsafe { sys::hipEventDestroy(self.event) };
    }
}

/// Kernels that were loaded together.
#[derive(Debug)]
pub struct HipModule {
    module: sys::hipModule_t,
    context: Arc<HipContext>,
}

unsafe impl Send for HipModule {}
unsafe impl Sync for HipModule {}

impl HipModule {
    pub fn load_function(self: &Arc<Self>, name: &str) -> Result<HipFunction, HipError> {
        const NOT_FOUND: i32 = 500;
        let name = CString::new(name).map_err(|_| HipError::Code(NOT_FOUND))?;
        let mut function = std::ptr::null_mut();
        checked(unsafe { sys::hipModuleGetFunction(&mut function, self.module, name.as_ptr()) })?;
        Ok(HipFunction {
            function,
            module: self.clone(),
        })
    }
}

impl Drop for HipModule {
    fn drop(&mut self) {
        if self.context.bind_to_thread().is_ok() {
            let _ = unsafe { sys::hipModuleUnload(self.module) };
        }
    }
}

/// A kernel; it keeps its module loaded.
#[derive(Clone, Debug)]
pub struct HipFunction {
    function: sys::hipFunction_t,
    #[allow(dead_code)]
    module: Arc<HipModule>,
}

unsafe impl Send for HipFunction {}
unsafe impl Sync for HipFunction {}

impl HipFunction {
    pub(crate) fn handle(&self) -> sys::hipFunction_t {
        self.function
    }
}
