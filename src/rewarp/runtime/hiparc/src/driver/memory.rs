//! Memory on a GPU: owned, and borrowed in parts.

use std::marker::PhantomData;
use std::ops::{Bound, RangeBounds};
use std::sync::Arc;

use super::stream::HipStream;
use super::sys::hipDeviceptr_t;
use super::HipError;

/// What means the same to a kernel as to Rust.
///
/// # Safety
/// The layout has to be the one that the kernel reads.
pub unsafe trait DeviceRepr {}

/// What may hold nothing but zeros.
///
/// # Safety
/// Zeros have to be a value of the type.
pub unsafe trait ValidAsZeroBits {}

macro_rules! plain {
    ($($name:ty),*) => { $(
        unsafe impl DeviceRepr for $name {}
        unsafe impl ValidAsZeroBits for $name {}
    )* };
}
plain!(bool, i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize, f32, f64);
#[cfg(feature = "f16")]
plain!(half::f16, half::bf16);
#[cfg(feature = "f8")]
plain!(float8::F8E4M3, float8::F8E5M2);
unsafe impl<T: DeviceRepr, const N: usize> DeviceRepr for [T; N] {}
unsafe impl<T: ValidAsZeroBits, const N: usize> ValidAsZeroBits for [T; N] {}

/// Held while memory is in use on a stream: where that is not the memory's own stream, this one waits for it afterwards.
#[must_use]
#[derive(Debug)]
pub struct SyncOnDrop<'a> {
    waits: Option<(&'a Arc<HipStream>, &'a HipStream)>,
}

impl<'a> SyncOnDrop<'a> {
    fn nothing() -> Self {
        Self { waits: None }
    }

    /// Lets `stream` wait for what `owner` does with the memory now.
    pub(crate) fn between(owner: &'a Arc<HipStream>, stream: &'a HipStream) -> Self {
        if **owner == *stream || !owner.context().is_event_tracking() {
            return Self::nothing();
        }
        match stream.join(owner) {
            Ok(()) => Self {
                waits: Some((owner, stream)),
            },
            Err(error) => panic!("a stream cannot wait for another: {error}"),
        }
    }
}

impl Drop for SyncOnDrop<'_> {
    fn drop(&mut self) {
        if let Some((owner, stream)) = self.waits {
            if let Err(error) = owner.join(stream) {
                panic!("a stream cannot wait for another: {error}");
            }
        }
    }
}

pub trait DeviceSlice<T> {
    fn len(&self) -> usize;
    fn num_bytes(&self) -> usize {
        self.len() * std::mem::size_of::<T>()
    }
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    fn stream(&self) -> &Arc<HipStream>;
}

/// Memory to be read.
pub trait DevicePtr<T>: DeviceSlice<T> {
    fn device_ptr<'a>(&'a self, stream: &'a HipStream) -> (hipDeviceptr_t, SyncOnDrop<'a>);
}

/// Memory to be written.
pub trait DevicePtrMut<T>: DeviceSlice<T> {
    fn device_ptr_mut<'a>(&'a mut self, stream: &'a HipStream) -> (hipDeviceptr_t, SyncOnDrop<'a>);
}

/// Memory of the host.
pub trait HostSlice<T> {
    fn len(&self) -> usize;
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// # Safety
    /// Only for use with this stream.
    unsafe fn stream_synced_slice<'a>(&'a self, stream: &'a HipStream)
        -> (&'a [T], SyncOnDrop<'a>);
    /// # Safety
    /// Only for use with this stream.
    unsafe fn stream_synced_mut_slice<'a>(
        &'a mut self,
        stream: &'a HipStream,
    ) -> (&'a mut [T], SyncOnDrop<'a>);
}

macro_rules! on_host {
    ($kind:ty $(, $size:ident)?) => {
        impl<T $(, const $size: usize)?> HostSlice<T> for $kind {
            fn len(&self) -> usize {
                <[T]>::len(self)
            }
            unsafe fn stream_synced_slice<'a>(&'a self, _: &'a HipStream) -> (&'a [T], SyncOnDrop<'a>) {
                (self, SyncOnDrop::nothing())
            }
            unsafe fn stream_synced_mut_slice<'a>(&'a mut self, _: &'a HipStream) -> (&'a mut [T], SyncOnDrop<'a>) {
                (self, SyncOnDrop::nothing())
            }
        }
    };
}
on_host!([T]);
on_host!(Vec<T>);
on_host!([T; N], N);

/// Memory that is owned, and given back when it is dropped.
#[derive(Debug)]
pub struct HipSlice<T> {
    pub(super) pointer: hipDeviceptr_t,
    len: usize,
    stream: Arc<HipStream>,
    kind: PhantomData<*const T>,
}

unsafe impl<T> Send for HipSlice<T> {}
unsafe impl<T> Sync for HipSlice<T> {}

/// Part of memory, to be read.
#[derive(Clone, Copy, Debug)]
pub struct HipView<'a, T> {
    pub(super) pointer: hipDeviceptr_t,
    len: usize,
    stream: &'a Arc<HipStream>,
    kind: PhantomData<&'a T>,
}

/// Part of memory, to be written.
#[derive(Debug)]
pub struct HipViewMut<'a, T> {
    pub(super) pointer: hipDeviceptr_t,
    len: usize,
    stream: &'a Arc<HipStream>,
    kind: PhantomData<&'a mut T>,
}

impl<T> Drop for HipSlice<T> {
    fn drop(&mut self) {
        self.stream.give_back(self.pointer);
    }
}

impl<T> HipSlice<T> {
    pub(super) fn from_raw(pointer: hipDeviceptr_t, len: usize, stream: Arc<HipStream>) -> Self {
        let kind = PhantomData;
        Self {
            pointer,
            len,
            stream,
            kind,
        }
    }

    pub fn num_bytes(&self) -> usize {
        self.len * std::mem::size_of::<T>()
    }

    pub fn stream(&self) -> &Arc<HipStream> {
        &self.stream
    }

    pub fn as_view(&self) -> HipView<'_, T> {
        HipView::of(self.pointer, self.len, &self.stream)
    }

    pub fn as_view_mut(&mut self) -> HipViewMut<'_, T> {
        HipViewMut::of(self.pointer, self.len, &self.stream)
    }

    pub fn slice(&self, bounds: impl RangeBounds<usize>) -> HipView<'_, T> {
        self.as_view().slice(bounds)
    }

    pub fn try_slice(&self, bounds: impl RangeBounds<usize>) -> Option<HipView<'_, T>> {
        self.as_view().try_slice(bounds)
    }

    pub fn slice_mut(&mut self, bounds: impl RangeBounds<usize>) -> HipViewMut<'_, T> {
        self.try_slice_mut(bounds)
            .expect("the range is not within the memory")
    }

    pub fn try_slice_mut(&mut self, bounds: impl RangeBounds<usize>) -> Option<HipViewMut<'_, T>> {
        let (pointer, len) = part::<T>(self.pointer, self.len, &bounds)?;
        Some(HipViewMut::of(pointer, len, &self.stream))
    }

    /// # Safety
    /// What is there has to be a value of the other type.
    pub unsafe fn transmute<S>(&self, len: usize) -> Option<HipView<'_, S>> {
        let fits = len * std::mem::size_of::<S>() <= self.num_bytes();
        fits.then_some(HipView::of(self.pointer, len, &self.stream))
    }

    /// # Safety
    /// What is there has to be a value of the other type.
    pub unsafe fn transmute_mut<S>(&mut self, len: usize) -> Option<HipViewMut<'_, S>> {
        let fits = len * std::mem::size_of::<S>() <= self.num_bytes();
        fits.then_some(HipViewMut::of(self.pointer, len, &self.stream))
    }
}

impl<T: DeviceRepr> HipSlice<T> {
    pub fn try_clone(&self) -> Result<Self, HipError> {
        self.stream.clone_dtod(self)
    }
}

impl<T: DeviceRepr> Clone for HipSlice<T> {
    fn clone(&self) -> Self {
        self.try_clone()
            .expect("memory on the GPU cannot be cloned")
    }
}

impl<T> HipView<'_, T> {
    pub fn slice(&self, bounds: impl RangeBounds<usize>) -> Self {
        self.try_slice(bounds)
            .expect("the range is not within the memory")
    }

    pub fn try_slice(&self, bounds: impl RangeBounds<usize>) -> Option<Self> {
        let (pointer, len) = part::<T>(self.pointer, self.len, &bounds)?;
        Some(Self::of(pointer, len, self.stream))
    }
}

impl<T> HipViewMut<'_, T> {
    pub fn as_view(&self) -> HipView<'_, T> {
        HipView::of(self.pointer, self.len, self.stream)
    }
}

/// Where a part of memory stands, and how long it is; nothing where it is not within the memory.
fn part<T>(
    pointer: hipDeviceptr_t,
    len: usize,
    bounds: &impl RangeBounds<usize>,
) -> Option<(hipDeviceptr_t, usize)> {
    let start = match bounds.start_bound() {
        Bound::Included(at) => *at,
        Bound::Excluded(at) => *at + 1,
        Bound::Unbounded => 0,
    };
    let end = match bounds.end_bound() {
        Bound::Included(at) => *at + 1,
        Bound::Excluded(at) => *at,
        Bound::Unbounded => len,
    };
    let offset = start.saturating_mul(std::mem::size_of::<T>()) as u64;
    (start <= end && end <= len).then(|| (pointer + offset, end - start))
}

macro_rules! views {
    ($($view:ident),*) => { $(
        impl<'a, T> $view<'a, T> {
            fn of(pointer: hipDeviceptr_t, len: usize, stream: &'a Arc<HipStream>) -> Self {
                let kind = PhantomData;
                Self { pointer, len, stream, kind }
            }
        }
    )* };
}
views!(HipView, HipViewMut);

macro_rules! on_device {
    ($kind:ty, |$this:ident| $owner:expr) => {
        impl<T> $kind {
            pub fn len(&self) -> usize {
                self.len
            }

            pub fn is_empty(&self) -> bool {
                self.len == 0
            }
        }

        impl<T> DeviceSlice<T> for $kind {
            fn len(&self) -> usize {
                self.len
            }
            fn stream(&self) -> &Arc<HipStream> {
                let $this = self;
                $owner
            }
        }

        impl<T> DevicePtr<T> for $kind {
            fn device_ptr<'a>(&'a self, stream: &'a HipStream) -> (hipDeviceptr_t, SyncOnDrop<'a>) {
                let $this = self;
                (self.pointer, SyncOnDrop::between($owner, stream))
            }
        }
    };
}
on_device!(HipSlice<T>, |this| &this.stream);
on_device!(HipView<'_, T>, |this| this.stream);
on_device!(HipViewMut<'_, T>, |this| this.stream);

macro_rules! written {
    ($($kind:ty),*) => { $(
        impl<T> DevicePtrMut<T> for $kind {
            fn device_ptr_mut<'a>(&'a mut self, stream: &'a HipStream) -> (hipDeviceptr_t, SyncOnDrop<'a>) {
                self.device_ptr(stream)
            }
        }
    )* };
}
written!(HipSlice<T>, HipViewMut<'_, T>);
