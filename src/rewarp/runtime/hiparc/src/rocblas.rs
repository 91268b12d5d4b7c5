//! Products of matrices by rocBLAS, as `cudarc::cublas` has them.

use std::sync::Arc;

use crate::driver::{DevicePtr, DevicePtrMut, HipStream};
use result::RocblasError;
use sys::{rocblas_datatype, rocblas_operation};

pub mod sys {
    //! The functions of librocblas that are used here.
    #![allow(non_camel_case_types, non_upper_case_globals)]

    use crate::driver::sys::hipStream_t;
    use crate::loading::functions;
    use std::ffi::c_void;

    pub type rocblas_handle = *mut c_void;

    #[repr(transparent)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct rocblas_operation(pub u32);
    impl rocblas_operation {
        pub const rocblas_operation_none: Self = Self(111);
        pub const rocblas_operation_transpose: Self = Self(112);
        pub const rocblas_operation_conjugate_transpose: Self = Self(113);
    }

    #[repr(transparent)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct rocblas_datatype(pub u32);
    impl rocblas_datatype {
        pub const rocblas_datatype_f16_r: Self = Self(150);
        pub const rocblas_datatype_f32_r: Self = Self(151);
        pub const rocblas_datatype_f64_r: Self = Self(152);
        pub const rocblas_datatype_bf16_r: Self = Self(168);
    }

    #[repr(transparent)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct rocblas_gemm_algo(pub u32);
    impl rocblas_gemm_algo {
        pub const rocblas_gemm_algo_standard: Self = Self(0);
    }

    functions! {
        ROCBLAS = if cfg!(windows) { &["rocblas.dll"] } else { &["librocblas.so", "librocblas.so.5", "librocblas.so.4"] };
        fn rocblas_create_handle(handle: *mut rocblas_handle) -> i32;
        fn rocblas_destroy_handle(handle: rocblas_handle) -> i32;
        fn rocblas_set_stream(handle: rocblas_handle, stream: hipStream_t) -> i32;
        fn rocblas_gemm_strided_batched_ex(
            handle: rocblas_handle, transa: rocblas_operation, transb: rocblas_operation,
            m: i32, n: i32, k: i32, alpha: *const c_void,
            a: *const c_void, a_type: rocblas_datatype, lda: i32, stride_a: i64,
            b: *const c_void, b_type: rocblas_datatype, ldb: i32, stride_b: i64, beta: *const c_void,
            c: *const c_void, c_type: rocblas_datatype, ldc: i32, stride_c: i64,
            d: *mut c_void, d_type: rocblas_datatype, ldd: i32, stride_d: i64,
            batches: i32, compute: rocblas_datatype, algo: rocblas_gemm_algo, solution: i32, flags: u32,
        ) -> i32;
    }
}

pub mod result {
    use super::sys::{
        self, rocblas_datatype, rocblas_gemm_algo, rocblas_handle, rocblas_operation,
    };
    use std::ffi::c_void;

    crate::loading::failures!(RocblasError, "rocBLAS");

    /// # Safety
    /// As rocblas_gemm_strided_batched_ex, with the result written where it was read.
    #[allow(clippy::too_many_arguments)]
    pub unsafe fn gemm_strided_batched_ex(
        handle: rocblas_handle,
        transa: rocblas_operation,
        transb: rocblas_operation,
        m: i32,
        n: i32,
        k: i32,
        alpha: *const c_void,
        a: *const c_void,
        a_type: rocblas_datatype,
        lda: i32,
        stride_a: i64,
        b: *const c_void,
        b_type: rocblas_datatype,
        ldb: i32,
        stride_b: i64,
        beta: *const c_void,
        c: *mut c_void,
        c_type: rocblas_datatype,
        ldc: i32,
        stride_c: i64,
        batches: i32,
        compute: rocblas_datatype,
        algo: rocblas_gemm_algo,
    ) -> Result<(), RocblasError> {
        checked(sys::rocblas_gemm_strided_batched_ex(
            handle, transa, transb, m, n, k, alpha, a, a_type, lda, stride_a, b, b_type, ldb,
            stride_b, beta, c, c_type, ldc, stride_c, c, c_type, ldc, stride_c, batches, compute,
            algo, 0, 0,
        ))
    }
}

/// rocBLAS on a stream.
#[derive(Debug)]
pub struct RocBlas {
    handle: sys::rocblas_handle,
    stream: Arc<HipStream>,
}

unsafe impl Send for RocBlas {}
unsafe impl Sync for RocBlas {}

impl RocBlas {
    pub fn new(stream: Arc<HipStream>) -> Result<Self, RocblasError> {
        let mut handle = std::ptr::null_mut();
        result::checked(unsafe { sys::rocblas_create_handle(&mut handle) })?;
        let blas = Self { handle, stream };
        result::checked(unsafe { sys::rocblas_set_stream(blas.handle, blas.stream.hip_stream()) })?;
        Ok(blas)
    }

    pub fn handle(&self) -> &sys::rocblas_handle {
        &self.handle
    }
}

impl Drop for RocBlas {
    fn drop(&mut self) {
        let _ = unsafe { sys::rocblas_destroy_handle(self.handle) };
    }
}

#[derive(Clone, Copy, Debug)]
pub struct GemmConfig<T> {
    pub transa: rocblas_operation,
    pub transb: rocblas_operation,
    pub m: i32,
    pub n: i32,
    pub k: i32,
    pub alpha: T,
    pub lda: i32,
    pub ldb: i32,
    pub beta: T,
    pub ldc: i32,
}

#[derive(Clone, Copy, Debug)]
pub struct StridedBatchedConfig<T> {
    pub gemm: GemmConfig<T>,
    pub batch_size: i32,
    pub stride_a: i64,
    pub stride_b: i64,
    pub stride_c: i64,
}

/// Products of matrices of one type.
pub trait Gemm<T> {
    /// # Safety
    /// Sizes and strides have to stay within the memory.
    unsafe fn gemm<A: DevicePtr<T>, B: DevicePtr<T>, C: DevicePtrMut<T>>(
        &self,
        config: GemmConfig<T>,
        a: &A,
        b: &B,
        c: &mut C,
    ) -> Result<(), RocblasError> {
        let config = StridedBatchedConfig {
            gemm: config,
            batch_size: 1,
            stride_a: 0,
            stride_b: 0,
            stride_c: 0,
        };
        self.gemm_strided_batched(config, a, b, c)
    }

    /// # Safety
    /// Sizes and strides have to stay within the memory.
    unsafe fn gemm_strided_batched<A: DevicePtr<T>, B: DevicePtr<T>, C: DevicePtrMut<T>>(
        &self,
        config: StridedBatchedConfig<T>,
        a: &A,
        b: &B,
        c: &mut C,
    ) -> Result<(), RocblasError>;
}

macro_rules! products {
    ($($kind:ty, $stored:ident, $compute:ty, $computed:ident;)*) => { $(
        impl Gemm<$kind> for RocBlas {
            unsafe fn gemm_strided_batched<A: DevicePtr<$kind>, B: DevicePtr<$kind>, C: DevicePtrMut<$kind>>(
                &self,
                config: StridedBatchedConfig<$kind>,
                a: &A,
                b: &B,
                c: &mut C,
            ) -> Result<(), RocblasError> {
                let (a, _a) = a.device_ptr(&self.stream);
                let (b, _b) = b.device_ptr(&self.stream);
                let (c, _c) = c.device_ptr_mut(&self.stream);
                let gemm = config.gemm;
                let (alpha, beta) = (<$compute>::from(gemm.alpha), <$compute>::from(gemm.beta));
                let kind = rocblas_datatype::$stored;
                result::gemm_strided_batched_ex(
                    self.handle, gemm.transa, gemm.transb, gemm.m, gemm.n, gemm.k, std::ptr::from_ref(&alpha).cast(),
                    a as *const _, kind, gemm.lda, config.stride_a, b as *const _, kind, gemm.ldb, config.stride_b,
                    std::ptr::from_ref(&beta).cast(), c as *mut _, kind, gemm.ldc, config.stride_c, config.batch_size,
                    rocblas_datatype::$computed, sys::rocblas_gemm_algo::rocblas_gemm_algo_standard,
                )
            }
        }
    )* };
}
products! {
    f32, rocblas_datatype_f32_r, f32, rocblas_datatype_f32_r;
    f64, rocblas_datatype_f64_r, f64, rocblas_datatype_f64_r;
}
#[cfg(feature = "f16")]
products! {
    half::f16, rocblas_datatype_f16_r, f32, rocblas_datatype_f32_r;
    half::bf16, rocblas_datatype_bf16_r, f32, rocblas_datatype_f32_r;
}
