//! Matrices on a GPU.

#[cfg(feature = "cuda")]
pub mod cuda_backend;

#[derive(Debug)]
pub enum Error {
    Cuda(String),
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Cuda(text) => write!(f, "cuda: {text}"),
        }
    }
}

impl std::error::Error for Error {}
