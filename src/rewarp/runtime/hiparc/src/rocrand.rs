//! Random numbers by rocRAND, as `cudarc::curand` has them. The same seed gives other numbers than cuRAND's.

use std::sync::Arc;

use crate::driver::{DevicePtrMut, HipStream};
use crate::Missing;
use result::RocrandError;

pub mod sys {
    //! The functions of librocrand that are used here.
    #![allow(non_camel_case_types)]

    use crate::driver::sys::hipStream_t;
    use crate::loading::functions;
    use std::ffi::c_void;

    pub type rocrand_generator = *mut c_void;
    pub const ROCRAND_RNG_PSEUDO_DEFAULT: i32 = 400;

    functions! {
        ROCRAND = if cfg!(windows) { &["rocrand.dll"] } else { &["librocrand.so", "librocrand.so.1"] };
        fn rocrand_create_generator(generator: *mut rocrand_generator, kind: i32) -> i32;
        fn rocrand_destroy_generator(generator: rocrand_generator) -> i32;
        fn rocrand_set_seed(generator: rocrand_generator, seed: u64) -> i32;
        fn rocrand_set_stream(generator: rocrand_generator, stream: hipStream_t) -> i32;
        fn rocrand_generate_uniform(generator: rocrand_generator, out: *mut f32, len: usize) -> i32;
        fn rocrand_generate_uniform_double(generator: rocrand_generator, out: *mut f64, len: usize) -> i32;
        fn rocrand_generate_normal(generator: rocrand_generator, out: *mut f32, len: usize, mean: f32, std: f32) -> i32;
        fn rocrand_generate_normal_double(generator: rocrand_generator, out: *mut f64, len: usize, mean: f64, std: f64) -> i32;
    }
}

pub mod result {
    crate::loading::failures!(RocrandError, "rocRAND");
}

/// A generator on a stream.
#[derive(Debug)]
pub struct RocRng {
    generator: sys::rocrand_generator,
    stream: Arc<HipStream>,
}

unsafe impl Send for RocRng {}

type Uniform<T> = unsafe fn(sys::rocrand_generator, *mut T, usize) -> Result<i32, Missing>;
type Normal<T> = unsafe fn(sys::rocrand_generator, *mut T, usize, T, T) -> Result<i32, Missing>;

/// A type of which there are random numbers.
pub trait Random: Sized {
    #[doc(hidden)]
    const UNIFORM: Uniform<Self>;
    #[doc(hidden)]
    const NORMAL: Normal<Self>;
}

impl Random for f32 {
    const UNIFORM: Uniform<f32> = sys::rocrand_generate_uniform;
    const NORMAL: Normal<f32> = sys::rocrand_generate_normal;
}

impl Random for f64 {
    const UNIFORM: Uniform<f64> = sys::rocrand_generate_uniform_double;
    const NORMAL: Normal<f64> = sys::rocrand_generate_normal_double;
}

impl RocRng {
    pub fn new(seed: u64, stream: Arc<HipStream>) -> Result<Self, RocrandError> {
        let mut generator = std::ptr::null_mut();
        result::checked(unsafe {
            sys::rocrand_create_generator(&mut generator, sys::ROCRAND_RNG_PSEUDO_DEFAULT)
        })?;
        let made = Self { generator, stream };
        result::checked(unsafe {
            sys::rocrand_set_stream(made.generator, made.stream.hip_stream())
        })?;
        made.set_seed(seed)?;
        Ok(made)
    }

    pub fn set_seed(&self, seed: u64) -> Result<(), RocrandError> {
        result::checked(unsafe { sys::rocrand_set_seed(self.generator, seed) })
    }

    pub fn fill_with_uniform<T: Random, Dst: DevicePtrMut<T>>(
        &self,
        to: &mut Dst,
    ) -> Result<(), RocrandError> {
        let len = to.len();
        let (out, _used) = to.device_ptr_mut(&self.stream);
        result::checked(unsafe { T::UNIFORM(self.generator, out as *mut T, len) })
    }

    pub fn fill_with_normal<T: Random, Dst: DevicePtrMut<T>>(
        &self,
        to: &mut Dst,
        mean: T,
        std: T,
    ) -> Result<(), RocrandError> {
        let len = to.len();
        let (out, _used) = to.device_ptr_mut(&self.stream);
        result::checked(unsafe { T::NORMAL(self.generator, out as *mut T, len, mean, std) })
    }
}

impl Drop for RocRng {
    fn drop(&mut self) {
        let _ = unsafe { sys::rocrand_destroy_generator(self.generator) };
    }
}
