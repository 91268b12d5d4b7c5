use candle::cuda_backend::cudarc::{
    cudnn::safe::{Cudnn, ConvForward},
    nccl::Comm,
    cufile,
};

pub use cudarc::curand;
# output
2 build-fail: cudnn
3 build-fail: nccl
4 build-fail: cufile
7 build-fail: cudarc::curand
