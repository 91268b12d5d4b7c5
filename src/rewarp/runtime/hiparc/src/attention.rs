//! Attention in one kernel, forward: what launches the kernel of hip/attention.hip, which a crate of kernels compiles.

use std::collections::BTreeMap;
use std::ffi::{c_int, c_void, CString};
use std::io;
use std::sync::{Mutex, PoisonError};

use crate::driver::launch::{launch, LaunchConfig};
use crate::driver::{checked, sys, HipError};

/// The rows of a block, and its threads, as in hip/attention.hip.
const ROWS: u32 = 32;
const THREADS: u32 = 128;

/// As in hip/attention.hip. Strides count elements.
#[repr(C)]
pub struct Attention {
    pub q: *const c_void,
    pub k: *const c_void,
    pub v: *const c_void,
    pub o: *const c_void,
    pub lse: *const c_void,
    pub slopes: *const c_void,
    pub starts: [*const i32; 2],
    pub batch_strides: [u32; 5],
    pub row_strides: [u32; 4],
    pub head_strides: [u32; 4],
    pub heads: [u32; 2],
    pub size: u32,
    pub lengths: [u32; 2],
    pub total_q: u32,
    pub window: [c_int; 2],
    pub scale: f32,
    pub cap: f32,
}

impl Attention {
    /// Launches the kernel out of its code objects, for `batch` sequences.
    ///
    /// # Safety
    /// Pointers are the current device's, and what they point to is as large as is said.
    pub unsafe fn forward(
        mut self,
        code: &'static [u8],
        is_bf16: bool,
        batch: u32,
        stream: *mut c_void,
    ) -> io::Result<()> {
        let size = match self.size {
            0..=64 => 64,
            65..=128 => 128,
            129..=256 => 256,
            size => return Err(lacks(&format!("heads of {size} values"))),
        };
        let kind = if is_bf16 { "bf16" } else { "f16" };
        let function =
            loaded(code, format!("attention_{kind}_{size}")).map_err(io::Error::other)?;
        let config = LaunchConfig {
            grid_dim: (self.lengths[0].div_ceil(ROWS), self.heads[0], batch),
            block_dim: (THREADS, 1, 1),
            shared_mem_bytes: 0,
        };
        let mut arguments = [std::ptr::from_mut(&mut self).cast()];
        launch(function, config, stream.cast(), &mut arguments).map_err(io::Error::other)
    }
}

/// What the kernel does not do.
pub fn lacks(what: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::Unsupported,
        format!("attention on ROCm: {what} are not supported"),
    )
}

/// A kernel on the current device, loaded once.
unsafe fn loaded(code: &'static [u8], name: String) -> Result<sys::hipFunction_t, HipError> {
    static LOADED: Mutex<BTreeMap<(i32, usize, String), usize>> = Mutex::new(BTreeMap::new());
    if code.is_empty() {
        return Err(HipError::EmptyModule);
    }
    let mut device = 0;
    checked(sys::hipGetDevice(&mut device))?;
    let mut known = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (device, code.as_ptr() as usize, name);
    if let Some(function) = known.get(&key) {
        return Ok(*function as sys::hipFunction_t);
    }
    let name = CString::new(&*key.2).expect("no kernel has a zero in its name");
    let (mut module, mut function) = (std::ptr::null_mut(), std::ptr::null_mut());
    checked(sys::hipModuleLoadData(&mut module, code.as_ptr().cast()))?;
    checked(sys::hipModuleGetFunction(
        &mut function,
        module,
        name.as_ptr(),
    ))?;
    known.insert(key, function as usize);
    Ok(function)
}
