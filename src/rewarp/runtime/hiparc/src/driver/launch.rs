//! Kernels launched with their arguments.

use std::ffi::c_void;
use std::sync::Arc;

use super::context::HipFunction;
use super::memory::{DeviceRepr, HipSlice, HipView, HipViewMut};
use super::stream::HipStream;
use super::{checked, sys, HipError};

#[derive(Clone, Copy, Debug)]
pub struct LaunchConfig {
    pub grid_dim: (u32, u32, u32),
    pub block_dim: (u32, u32, u32),
    /// Of dynamic shared memory.
    pub shared_mem_bytes: u32,
}

impl LaunchConfig {
    pub fn for_num_elems(n: u32) -> Self {
        const THREADS: u32 = 1024;
        Self {
            grid_dim: (n.div_ceil(THREADS), 1, 1),
            block_dim: (THREADS, 1, 1),
            shared_mem_bytes: 0,
        }
    }
}

/// A launch that is being put together.
#[derive(Debug)]
pub struct LaunchArgs<'a> {
    stream: &'a HipStream,
    function: &'a HipFunction,
    arguments: Vec<*mut c_void>,
    /// The streams of the memory that is used, where they are not the launch's own.
    others: Vec<&'a HipStream>,
}

impl HipStream {
    pub fn launch_builder<'a>(&'a self, function: &'a HipFunction) -> LaunchArgs<'a> {
        LaunchArgs {
            stream: self,
            function,
            arguments: Vec::new(),
            others: Vec::new(),
        }
    }
}

/// What a kernel can be given.
///
/// # Safety
/// What is pointed to has to be there until the launch.
pub unsafe trait PushKernelArg<T> {
    fn arg(&mut self, arg: T) -> &mut Self;
}

unsafe impl<'a, 'b: 'a, T: DeviceRepr> PushKernelArg<&'b T> for LaunchArgs<'a> {
    fn arg(&mut self, arg: &'b T) -> &mut Self {
        self.arguments
            .push(std::ptr::from_ref(arg).cast_mut().cast());
        self
    }
}

impl<'a> LaunchArgs<'a> {
    fn memory(&mut self, pointer: &'a sys::hipDeviceptr_t, owner: &'a Arc<HipStream>) -> &mut Self {
        if **owner != *self.stream && owner.context().is_event_tracking() {
            self.others.push(owner);
        }
        self.arguments
            .push(std::ptr::from_ref(pointer).cast_mut().cast());
        self
    }
}

macro_rules! memory_argument {
    ($($kind:ty $(, $more:lifetime)?;)*) => { $(
        unsafe impl<'a, 'b: 'a, $($more: 'b,)? T> PushKernelArg<$kind> for LaunchArgs<'a> {
            fn arg(&mut self, arg: $kind) -> &mut Self {
                use super::memory::DeviceSlice;
                self.memory(&arg.pointer, DeviceSlice::stream(arg))
            }
        }
    )* };
}
memory_argument! {
    &'b HipSlice<T>;
    &'b mut HipSlice<T>;
    &'b HipView<'c, T>, 'c;
    &'b HipViewMut<'c, T>, 'c;
    &'b mut HipViewMut<'c, T>, 'c;
}

/// # Safety
/// As [`LaunchArgs::launch`].
pub(crate) unsafe fn launch(
    function: sys::hipFunction_t,
    config: LaunchConfig,
    stream: sys::hipStream_t,
    arguments: &mut [*mut c_void],
) -> Result<(), HipError> {
    let ((x, y, z), (i, j, k)) = (config.grid_dim, config.block_dim);
    let (shared, arguments, none) = (
        config.shared_mem_bytes,
        arguments.as_mut_ptr(),
        std::ptr::null_mut(),
    );
    checked(sys::hipModuleLaunchKernel(
        function, x, y, z, i, j, k, shared, stream, arguments, none,
    ))
}

impl LaunchArgs<'_> {
    /// # Safety
    /// The arguments have to be those of the kernel, and it may only touch memory that it was given.
    pub unsafe fn launch(&mut self, config: LaunchConfig) -> Result<(), HipError> {
        self.stream.context().bind_to_thread()?;
        for other in &self.others {
            self.stream.join(other)?;
        }
        let (function, stream) = (self.function.handle(), self.stream.hip_stream());
        launch(function, config, stream, &mut self.arguments)?;
        self.others
            .iter()
            .try_for_each(|other| other.join(self.stream))
    }
}
