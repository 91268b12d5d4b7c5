//! Attention as one operation.

mod ffi;

use tiny_core::cuda_backend::cudarc::driver::{DevicePtr, DevicePtrMut};
use tiny_core::{CpuStorage, CustomOp, Result};

/// Causal attention over queries, keys and values that stand one after the other, as bfloat16, two in each word.
pub struct Flash {
    pub heads: usize,
    pub heads_k: usize,
    pub size: usize,
    pub length: usize,
}

impl Flash {
    /// How many words the queries have, and the keys.
    pub fn words(&self) -> (usize, usize) {
        let per_head = self.length * self.size / 2;
        (self.heads * per_head, self.heads_k * per_head)
    }
}

impl CustomOp for Flash {
    fn name(&self) -> &'static str {
        "flash"
    }

    fn cpu_fwd(&self, _: &CpuStorage) -> Result<CpuStorage> {
        tiny_core::bail!("no cpu support for flash")
    }

    fn cuda_fwd(&self, storage: &tiny_core::CudaStorage) -> Result<tiny_core::CudaStorage> {
        let device = storage.cuda_device();
        let (of_q, of_k) = self.words();
        let mut out = device.zeros(of_q)?;
        let mut lse = device.zeros(self.heads * self.length)?;
        let stream = device.stream();
        let (row_q, row_k) = ((self.heads * self.size) as u32, (self.heads_k * self.size) as u32);
        unsafe {
            let (q_ptr, _guard) = storage.as_cuda_slice().device_ptr(&stream);
            let (out_ptr, _guard) = out.device_ptr_mut(&stream);
            let (lse_ptr, _guard) = lse.device_ptr_mut(&stream);
            ffi::run_mha(
                q_ptr as *const core::ffi::c_void,
                (q_ptr + 4 * of_q as u64) as *const core::ffi::c_void,
                (q_ptr + 4 * (of_q + of_k) as u64) as *const core::ffi::c_void,
                out_ptr as *const core::ffi::c_void,
                lse_ptr as *const core::ffi::c_void,
                /* alibi_slopes_ptr */ std::ptr::null(),
                /* batch strides */ 0,
                0,
                0,
                0,
                0,
                /* row strides */ row_q,
                row_k,
                row_k,
                row_q,
                /* head strides */ self.size as u32,
                self.size as u32,
                self.size as u32,
                self.size as u32,
                /* b */ 1,
                self.heads as u32,
                self.heads_k as u32,
                self.size as u32,
                self.size as u32,
                1. / (self.size as f32).sqrt(),
                self.length as u32,
                self.length as u32,
                self.length as u32,
                self.length as u32,
                /* is_bf16 */ 1,
                /* is_causal */ 1,
                /* unpadded_lse */ 0,
                -1,
                0,
                stream.cu_stream() as *mut core::ffi::c_void,
            )
        }
        Ok(tiny_core::CudaStorage::wrap_cuda_slice(out, device.clone()))
    }
}
