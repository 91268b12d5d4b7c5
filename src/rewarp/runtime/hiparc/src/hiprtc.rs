//! Kernels compiled at run time, as `cudarc::nvrtc` has them.

use std::borrow::Cow;
use std::ffi::{c_char, c_void, CString};

use crate::driver::HipError;
use crate::Missing;

mod sys {
    use super::{c_char, c_void};
    use crate::loading::functions;

    functions! {
        HIPRTC = if cfg!(windows) {
            &["hiprtc0702.dll", "hiprtc.dll"]
        } else {
            &["libhiprtc.so", "libhiprtc.so.7", "libhiprtc.so.6", "libamdhip64.so"]
        };
        fn hiprtcCreateProgram(
            program: *mut *mut c_void, source: *const c_char, name: *const c_char,
            headers: i32, header_texts: *mut *const c_char, header_names: *mut *const c_char,
        ) -> i32;
        fn hiprtcDestroyProgram(program: *mut *mut c_void) -> i32;
        fn hiprtcCompileProgram(program: *mut c_void, count: i32, options: *const *const c_char) -> i32;
        fn hiprtcGetProgramLogSize(program: *mut c_void, size: *mut usize) -> i32;
        fn hiprtcGetProgramLog(program: *mut c_void, log: *mut c_char) -> i32;
        fn hiprtcGetCodeSize(program: *mut c_void, size: *mut usize) -> i32;
        fn hiprtcGetCode(program: *mut c_void, code: *mut c_char) -> i32;
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompileError {
    /// With what the compiler said.
    Failed(i32, String),
    Missing(Missing),
}

impl std::fmt::Display for CompileError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Failed(status, log) => write!(f, "hiprtc status {status}: {log}"),
            Self::Missing(missing) => missing.fmt(f),
        }
    }
}

impl std::error::Error for CompileError {}

impl From<Missing> for CompileError {
    fn from(missing: Missing) -> Self {
        Self::Missing(missing)
    }
}

/// What a module is loaded from: a code object, or HIP source that is compiled for the GPU when it is loaded.
#[derive(Clone, Debug)]
pub enum Hsaco {
    Code(Cow<'static, [u8]>),
    Source(String),
}

macro_rules! made_from {
    ($($kind:ty, $variant:ident, $make:path;)*) => { $(
        impl From<$kind> for Hsaco {
            fn from(given: $kind) -> Self {
                Self::$variant($make(given))
            }
        }
    )* };
}
made_from! {
    &'static [u8], Code, Cow::Borrowed;
    Vec<u8>, Code, Cow::Owned;
    &str, Source, String::from;
    String, Source, String::from;
}

impl Hsaco {
    pub(crate) fn code_object(self) -> Result<Cow<'static, [u8]>, HipError> {
        const INVALID_SOURCE: i32 = 300;
        match self {
            Self::Code(code) => Ok(code),
            Self::Source(source) => match compiled(&source, &[]) {
                Ok(code) => Ok(Cow::Owned(code)),
                Err(CompileError::Missing(missing)) => Err(HipError::Missing(missing)),
                Err(CompileError::Failed(..)) => Err(HipError::Code(INVALID_SOURCE)),
            },
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct CompileOptions {
    pub use_fast_math: Option<bool>,
    pub options: Vec<String>,
}

pub fn compile_hsaco(source: impl AsRef<str>) -> Result<Hsaco, CompileError> {
    compile_hsaco_with_opts(source, CompileOptions::default())
}

/// Compiles for the GPU that is set.
pub fn compile_hsaco_with_opts(
    source: impl AsRef<str>,
    options: CompileOptions,
) -> Result<Hsaco, CompileError> {
    let mut words = options.options;
    if options.use_fast_math == Some(true) {
        words.push("-ffast-math".to_string());
    }
    Ok(Hsaco::from(compiled(source.as_ref(), &words)?))
}

pub mod safe {
    pub use super::{compile_hsaco, compile_hsaco_with_opts};
}

fn compiled(source: &str, options: &[String]) -> Result<Vec<u8>, CompileError> {
    let text = |text: &str| {
        CString::new(text).map_err(|_| CompileError::Failed(0, "a zero in the source".to_string()))
    };
    let source = text(source)?;
    let words = options
        .iter()
        .map(|word| text(word))
        .collect::<Result<Vec<_>, _>>()?;
    let words: Vec<*const c_char> = words.iter().map(|word| word.as_ptr()).collect();
    let mut program = std::ptr::null_mut();
    unsafe {
        let (none, no_headers) = (std::ptr::null(), std::ptr::null_mut());
        let (made, source) = (&mut program, source.as_ptr());
        let status = sys::hiprtcCreateProgram(made, source, none, 0, no_headers, no_headers)?;
        if status != 0 {
            let why = "no program could be made".to_string();
            return Err(CompileError::Failed(status, why));
        }
        let made = code_of(program, &words);
        sys::hiprtcDestroyProgram(&mut program)?;
        made
    }
}

unsafe fn code_of(
    program: *mut c_void,
    options: &[*const c_char],
) -> Result<Vec<u8>, CompileError> {
    let status = sys::hiprtcCompileProgram(program, options.len() as i32, options.as_ptr())?;
    let mut size = 0;
    if status != 0 {
        sys::hiprtcGetProgramLogSize(program, &mut size)?;
        let mut log = vec![0u8; size];
        sys::hiprtcGetProgramLog(program, log.as_mut_ptr().cast())?;
        let log = String::from_utf8_lossy(&log);
        return Err(CompileError::Failed(
            status,
            log.trim_end_matches('\0').to_string(),
        ));
    }
    sys::hiprtcGetCodeSize(program, &mut size)?;
    let mut code = vec![0u8; size];
    sys::hiprtcGetCode(program, code.as_mut_ptr().cast())?;
    Ok(code)
}
