//! Devices, streams, memory and kernels, as `cudarc::driver` has them.

mod context;
pub(crate) mod launch;
mod memory;
mod stream;
pub mod sys;

pub use context::{is_available, HipContext, HipEvent, HipFunction, HipModule};
pub use launch::{LaunchArgs, LaunchConfig, PushKernelArg};
pub use memory::{
    DevicePtr, DevicePtrMut, DeviceRepr, DeviceSlice, HipSlice, HipView, HipViewMut, HostSlice,
    SyncOnDrop, ValidAsZeroBits,
};
pub use stream::HipStream;

use crate::Missing;

/// What HIP answered, or the library that is not there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum HipError {
    Code(i32),
    Missing(Missing),
    /// A kernel module that holds nothing: it was built where there is no compiler for AMD.
    EmptyModule,
}

impl From<Missing> for HipError {
    fn from(missing: Missing) -> Self {
        Self::Missing(missing)
    }
}

impl std::fmt::Display for HipError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Code(code) => match unsafe { sys::hipGetErrorName(*code) } {
                Ok(name) if !name.is_null() => {
                    write!(f, "{} ({code})", unsafe { std::ffi::CStr::from_ptr(name) }.to_string_lossy())
                }
                _ => write!(f, "HIP error {code}"),
            },
            Self::Missing(missing) => missing.fmt(f),
            Self::EmptyModule => write!(
                f,
                "the kernels hold no code: they were built where no HIP compiler was found (set HIPCC or ROCM_PATH and build again)"
            ),
        }
    }
}

impl std::fmt::Debug for HipError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "HipError({self})")
    }
}

impl std::error::Error for HipError {}

/// Whether HIP called it a success.
pub(crate) fn checked(status: Result<i32, Missing>) -> Result<(), HipError> {
    match status? {
        0 => Ok(()),
        code => Err(HipError::Code(code)),
    }
}

pub mod result {
    //! Calls without the types around them.
    pub use super::HipError;

    pub mod device {
        use crate::driver::{checked, sys, HipError};

        /// # Safety
        /// The device has to be one of this machine.
        pub unsafe fn get_attribute(
            device: sys::hipDevice_t,
            attribute: sys::hipDeviceAttribute_t,
        ) -> Result<i32, HipError> {
            let mut value = 0;
            checked(sys::hipDeviceGetAttribute(&mut value, attribute, device))?;
            Ok(value)
        }
    }
}

pub mod safe {
    pub use super::*;
}
