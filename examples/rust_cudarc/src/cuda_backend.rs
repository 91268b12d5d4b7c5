//! On CUDA: the driver, its compiler at run time, cuBLAS and cuRAND.

use std::sync::Arc;

use cudarc::cublas::{sys, CudaBlas, Gemm, GemmConfig, StridedBatchedConfig};
use cudarc::curand::CudaRng;
use cudarc::driver::{
    CudaContext, CudaFunction, CudaSlice, CudaStream, CudaView, DevicePtr, DevicePtrMut,
    DriverError, LaunchConfig, PushKernelArg,
};

use crate::Error;

const KERNEL: &str = r#"
extern "C" __global__ void scale(float *values, const float by, const size_t size) {
    for (size_t at = blockIdx.x * blockDim.x + threadIdx.x; at < size; at += blockDim.x * gridDim.x) {
        values[at] *= by;
    }
}
"#;

fn wrap(error: impl std::fmt::Debug) -> Error {
    Error::Cuda(format!("{error:?}"))
}

#[derive(Clone, Debug)]
pub struct CudaDevice {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    blas: Arc<CudaBlas>,
}

impl CudaDevice {
    pub fn new(ordinal: usize) -> Result<Self, Error> {
        let context = CudaContext::new(ordinal).map_err(wrap)?;
        // One stream, so that nothing has to wait for another.
        unsafe { context.disable_event_tracking() };
        let stream = context.new_stream().map_err(wrap)?;
        let blas = Arc::new(CudaBlas::new(stream.clone()).map_err(wrap)?);
        Ok(Self {
            context,
            stream,
            blas,
        })
    }

    pub fn count() -> Result<i32, DriverError> {
        CudaContext::device_count()
    }

    pub fn ordinal(&self) -> usize {
        self.context.ordinal()
    }

    pub fn matrix(&self, rows: usize, columns: usize, values: &[f32]) -> Result<CudaMatrix, Error> {
        let slice = self.stream.clone_htod(values).map_err(wrap)?;
        Ok(CudaMatrix {
            device: self.clone(),
            slice,
            rows,
            columns,
        })
    }

    pub fn random(&self, rows: usize, columns: usize, seed: u64) -> Result<CudaMatrix, Error> {
        let mut slice = self
            .stream
            .alloc_zeros::<f32>(rows * columns)
            .map_err(wrap)?;
        let rng = CudaRng::new(seed, self.stream.clone()).map_err(wrap)?;
        rng.fill_with_uniform(&mut slice).map_err(wrap)?;
        Ok(CudaMatrix {
            device: self.clone(),
            slice,
            rows,
            columns,
        })
    }

    fn scale(&self) -> Result<CudaFunction, Error> {
        let code = cudarc::nvrtc::compile_ptx(KERNEL).map_err(wrap)?;
        self.context
            .load_module(code)
            .map_err(wrap)?
            .load_function("scale")
            .map_err(wrap)
    }
}

#[derive(Debug)]
pub struct CudaMatrix {
    device: CudaDevice,
    slice: CudaSlice<f32>,
    rows: usize,
    columns: usize,
}

impl CudaMatrix {
    pub fn row(&self, row: usize) -> CudaView<'_, f32> {
        self.slice
            .slice(row * self.columns..(row + 1) * self.columns)
    }

    pub fn row_values(&self, row: usize) -> Result<Vec<f32>, Error> {
        self.device.stream.clone_dtoh(&self.row(row)).map_err(wrap)
    }

    pub fn values(&self) -> Result<Vec<f32>, Error> {
        let found = self.device.stream.clone_dtoh(&self.slice).map_err(wrap)?;
        self.device.stream.synchronize().map_err(wrap)?;
        Ok(found)
    }

    pub fn scaled(&mut self, by: f32) -> Result<(), Error> {
        let function = self.device.scale()?;
        let size = self.slice.len();
        let mut builder = self.device.stream.launch_builder(&function);
        builder.arg(&mut self.slice);
        builder.arg(&by);
        builder.arg(&size);
        unsafe { builder.launch(LaunchConfig::for_num_elems(size as u32)) }.map_err(wrap)?;
        Ok(())
    }

    /// The product, each matrix row by row; the library wants columns, so the two change places.
    pub fn product(&self, other: &Self) -> Result<Self, Error> {
        let mut slice = self
            .device
            .stream
            .alloc_zeros::<f32>(self.rows * other.columns)
            .map_err(wrap)?;
        let gemm = GemmConfig {
            transa: sys::cublasOperation_t::CUBLAS_OP_N,
            transb: sys::cublasOperation_t::CUBLAS_OP_N,
            m: other.columns as i32,
            n: self.rows as i32,
            k: self.columns as i32,
            alpha: 1f32,
            lda: other.columns as i32,
            ldb: self.columns as i32,
            beta: 0f32,
            ldc: other.columns as i32,
        };
        let config = StridedBatchedConfig {
            gemm,
            batch_size: 1,
            stride_a: 0,
            stride_b: 0,
            stride_c: 0,
        };
        unsafe {
            self.device
                .blas
                .gemm_strided_batched(config, &other.slice, &self.slice, &mut slice)
        }
        .map_err(wrap)?;
        Ok(Self {
            device: self.device.clone(),
            slice,
            rows: self.rows,
            columns: other.columns,
        })
    }

    /// Where the values lie, for who calls C.
    pub fn addresses(&mut self) -> (u64, u64) {
        let stream = self.device.stream.clone();
        let read = self.slice.device_ptr(&stream).0;
        let written = self.slice.device_ptr_mut(&stream).0;
        (read, written)
    }
}
