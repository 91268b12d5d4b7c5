//! FUNCTION on AMD: what its library does for NVIDIA, over the kernel in HOLDER.
//! Forward, with masks, windows, ALiBi, capped scores and packed sequences; what the kernel lacks is an error that names it.

use core::ffi::{c_int, c_void};

use BINDING::attention::{lacks, Attention};
use KERNELS::ATTENTION;

/// # Safety
/// As the library's function of this name: pointers are the current device's, and what they point to is as large as is said.
#[allow(clippy::too_many_arguments, unused_variables)]
pub(crate) unsafe fn FUNCTION(PARAMETERS) -> std::io::Result<()> {
MISSING    if !block_table_ptr.is_null() {
        return Err(lacks("keys and values in pages"));
    }
    if !mm_prefix_ranges_ptr.is_null() {
        return Err(lacks("ranges of tokens that see each other"));
    }
    let packed = unpadded_lse != 0;
    Attention {
        q: q_ptr,
        k: k_ptr,
        v: v_ptr,
        o: o_ptr,
        lse: if packed && total_q == 0 { std::ptr::null() } else { softmax_lse_ptr },
        slopes: alibi_slopes_ptr,
        starts: [cu_seqlens_q_ptr, cu_seqlens_k_ptr],
        batch_strides: [q_batch_stride, k_batch_stride, v_batch_stride, o_batch_stride, alibi_slopes_batch_stride],
        row_strides: [q_row_stride, k_row_stride, v_row_stride, o_row_stride],
        head_strides: [q_head_stride, k_head_stride, v_head_stride, o_head_stride],
        heads: [h, h_k],
        size: d,
        lengths: [seqlen_q, seqlen_k],
        total_q: if packed { total_q } else { 0 },
        window: if is_causal != 0 { [-1, 0] } else { [window_size_left, window_size_right] },
        scale: softmax_scale,
        cap: softcap,
    }
    .forward(ATTENTION, is_bf16 != 0, b, stream_ptr)
}
