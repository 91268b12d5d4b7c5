//! Work in order: memory taken, copied and given back on a stream.

use std::sync::Arc;

use super::context::{HipContext, HipEvent};
use super::memory::{DevicePtr, DevicePtrMut, DeviceRepr, HipSlice, HostSlice, ValidAsZeroBits};
use super::{checked, sys, HipError};

#[derive(Debug)]
pub struct HipStream {
    stream: sys::hipStream_t,
    context: Arc<HipContext>,
    owned: bool,
}

unsafe impl Send for HipStream {}
unsafe impl Sync for HipStream {}

impl PartialEq for HipStream {
    fn eq(&self, other: &Self) -> bool {
        self.stream == other.stream && self.context.ordinal() == other.context.ordinal()
    }
}

impl Eq for HipStream {}

impl Drop for HipStream {
    fn drop(&mut self) {
        if self.owned && self.context.bind_to_thread().is_ok() {
            let _ = unsafe { sys::hipStreamDestroy(self.stream) };
        }
    }
}

impl HipStream {
    pub(crate) fn borrowed(stream: sys::hipStream_t, context: Arc<HipContext>) -> Self {
        Self {
            stream,
            context,
            owned: false,
        }
    }

    pub(crate) fn created(context: Arc<HipContext>) -> Result<Self, HipError> {
        context.bind_to_thread()?;
        let mut stream = std::ptr::null_mut();
        checked(unsafe { sys::hipStreamCreateWithFlags(&mut stream, sys::hipStreamNonBlocking) })?;
        Ok(Self {
            stream,
            context,
            owned: true,
        })
    }

    pub fn hip_stream(&self) -> sys::hipStream_t {
        self.stream
    }

    pub fn context(&self) -> &Arc<HipContext> {
        &self.context
    }

    pub fn synchronize(&self) -> Result<(), HipError> {
        self.context.bind_to_thread()?;
        checked(unsafe { sys::hipStreamSynchronize(self.stream) })
    }

    pub fn record_event(&self, flags: Option<u32>) -> Result<HipEvent, HipError> {
        let event = self.context.new_event(flags)?;
        event.record(self)?;
        Ok(event)
    }

    pub fn wait(&self, event: &HipEvent) -> Result<(), HipError> {
        self.context.bind_to_thread()?;
        checked(unsafe { sys::hipStreamWaitEvent(self.stream, event.hip_event(), 0) })
    }

    /// Go on only when all that was put into the other stream so far is done.
    pub fn join(&self, other: &HipStream) -> Result<(), HipError> {
        self.wait(&other.record_event(None)?)
    }

    pub fn capture_status(&self) -> Result<sys::hipStreamCaptureStatus, HipError> {
        let mut status = sys::hipStreamCaptureStatus::hipStreamCaptureStatusNone;
        checked(unsafe { sys::hipStreamIsCapturing(self.stream, &mut status) })?;
        Ok(status)
    }

    /// Memory for so many elements; none for none, as HIP has no allocation of nothing.
    ///
    /// # Safety
    /// What it holds is not set.
    pub unsafe fn alloc<T: DeviceRepr>(
        self: &Arc<Self>,
        len: usize,
    ) -> Result<HipSlice<T>, HipError> {
        let size = len * std::mem::size_of::<T>();
        Ok(HipSlice::from_raw(
            if size == 0 { 0 } else { self.take(size)? },
            len,
            self.clone(),
        ))
    }

    fn take(&self, size: usize) -> Result<sys::hipDeviceptr_t, HipError> {
        const NOT_SUPPORTED: i32 = 801;
        self.context.bind_to_thread()?;
        let mut pointer = 0;
        if self.context.has_async_memory() {
            match unsafe { sys::hipMallocAsync(&mut pointer, size, self.stream) } {
                Err(_) | Ok(NOT_SUPPORTED) => self.context.without_async_memory(),
                status => return checked(status).map(|()| pointer),
            }
        }
        checked(unsafe { sys::hipMalloc(&mut pointer, size) })?;
        Ok(pointer)
    }

    pub(crate) fn give_back(&self, pointer: sys::hipDeviceptr_t) {
        if pointer == 0 || self.context.bind_to_thread().is_err() {
            return;
        }
        let _ = if self.context.has_async_memory() {
            unsafe { sys::hipFreeAsync(pointer, self.stream) }
        } else {
            unsafe { sys::hipFree(pointer) }
        };
    }

    pub fn alloc_zeros<T: DeviceRepr + ValidAsZeroBits>(
        self: &Arc<Self>,
        len: usize,
    ) -> Result<HipSlice<T>, HipError> {
        let mut slice = unsafe { self.alloc(len) }?;
        self.memset_zeros(&mut slice)?;
        Ok(slice)
    }

    pub fn memset_zeros<T: DeviceRepr + ValidAsZeroBits, Dst: DevicePtrMut<T>>(
        &self,
        dst: &mut Dst,
    ) -> Result<(), HipError> {
        let size = dst.num_bytes();
        let (pointer, _used) = dst.device_ptr_mut(self);
        if size == 0 {
            return Ok(());
        }
        self.context.bind_to_thread()?;
        checked(unsafe { sys::hipMemsetAsync(pointer, 0, size, self.stream) })
    }

    pub fn clone_htod<T: DeviceRepr, Src: HostSlice<T> + ?Sized>(
        self: &Arc<Self>,
        src: &Src,
    ) -> Result<HipSlice<T>, HipError> {
        let mut slice = unsafe { self.alloc(src.len()) }?;
        self.memcpy_htod(src, &mut slice)?;
        Ok(slice)
    }

    pub fn memcpy_htod<T: DeviceRepr, Src: HostSlice<T> + ?Sized, Dst: DevicePtrMut<T>>(
        &self,
        src: &Src,
        dst: &mut Dst,
    ) -> Result<(), HipError> {
        assert!(dst.len() >= src.len());
        let (from, _kept) = unsafe { src.stream_synced_slice(self) };
        let (to, _used) = dst.device_ptr_mut(self);
        let size = std::mem::size_of_val(from);
        if size == 0 {
            return Ok(());
        }
        self.context.bind_to_thread()?;
        checked(unsafe { sys::hipMemcpyHtoDAsync(to, from.as_ptr().cast(), size, self.stream) })
    }

    pub fn clone_dtoh<T: DeviceRepr, Src: DevicePtr<T>>(
        &self,
        src: &Src,
    ) -> Result<Vec<T>, HipError> {
        let len = src.len();
        let mut host: Vec<T> = Vec::with_capacity(len);
        let (from, _used) = src.device_ptr(self);
        self.to_host(host.as_mut_ptr(), from, len)?;
        unsafe { host.set_len(len) };
        Ok(host)
    }

    pub fn memcpy_dtoh<T: DeviceRepr, Src: DevicePtr<T>, Dst: HostSlice<T> + ?Sized>(
        &self,
        src: &Src,
        dst: &mut Dst,
    ) -> Result<(), HipError> {
        let len = src.len();
        let (from, _used) = src.device_ptr(self);
        let (to, _kept) = unsafe { dst.stream_synced_mut_slice(self) };
        assert!(to.len() >= len);
        self.to_host(to.as_mut_ptr(), from, len)
    }

    fn to_host<T>(
        &self,
        to: *mut T,
        from: sys::hipDeviceptr_t,
        len: usize,
    ) -> Result<(), HipError> {
        let size = len * std::mem::size_of::<T>();
        if size == 0 {
            return Ok(());
        }
        self.context.bind_to_thread()?;
        checked(unsafe { sys::hipMemcpyDtoHAsync(to.cast(), from, size, self.stream) })?;
        self.synchronize()
    }

    pub fn memcpy_dtod<T, Src: DevicePtr<T>, Dst: DevicePtrMut<T>>(
        &self,
        src: &Src,
        dst: &mut Dst,
    ) -> Result<(), HipError> {
        assert!(dst.len() >= src.len());
        let size = src.num_bytes();
        let (from, _read) = src.device_ptr(self);
        let (to, _written) = dst.device_ptr_mut(self);
        if size == 0 {
            return Ok(());
        }
        self.context.bind_to_thread()?;
        checked(unsafe { sys::hipMemcpyDtoDAsync(to, from, size, self.stream) })
    }

    pub fn clone_dtod<T: DeviceRepr, Src: DevicePtr<T>>(
        self: &Arc<Self>,
        src: &Src,
    ) -> Result<HipSlice<T>, HipError> {
        let mut slice = unsafe { self.alloc(src.len()) }?;
        self.memcpy_dtod(src, &mut slice)?;
        Ok(slice)
    }
}
