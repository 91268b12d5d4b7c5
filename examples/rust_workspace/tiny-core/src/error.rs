pub type Result<T> = std::result::Result<T, Error>;

#[derive(Debug)]
pub enum Error {
    NotCompiledWithCudaSupport,
    Cuda(String),
    Msg(String),
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotCompiledWithCudaSupport => write!(f, "this crate was built without cuda"),
            Self::Cuda(text) => write!(f, "cuda: {text}"),
            Self::Msg(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for Error {}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        Self::Msg(error.to_string())
    }
}

#[macro_export]
macro_rules! bail {
    ($($words:tt)*) => {
        return Err($crate::Error::Msg(format!($($words)*)))
    };
}
