//! Libraries opened at run time, and functions looked up in them by name.

use std::ffi::{c_char, c_void, CString};
use std::sync::OnceLock;

/// A library, or a function of it, that this machine does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missing {
    pub library: &'static str,
    pub function: &'static str,
}

impl std::fmt::Display for Missing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} with {} was not found: is ROCm installed?",
            self.library, self.function
        )
    }
}

impl std::error::Error for Missing {}

pub(crate) struct Library {
    names: &'static [&'static str],
    handle: OnceLock<usize>,
}

impl Library {
    pub(crate) const fn new(names: &'static [&'static str]) -> Self {
        Self {
            names,
            handle: OnceLock::new(),
        }
    }

    /// The address of a function, looked up once.
    pub(crate) fn find(
        &self,
        known: &OnceLock<usize>,
        function: &'static str,
    ) -> Result<usize, Missing> {
        let address = *known.get_or_init(|| {
            let mut handles = self.names.iter().map(|name| open(name));
            match *self
                .handle
                .get_or_init(|| handles.find(|at| *at != 0).unwrap_or(0))
            {
                0 => 0,
                handle => symbol(handle, function),
            }
        });
        let library = self.names[0];
        (address != 0)
            .then_some(address)
            .ok_or(Missing { library, function })
    }
}

#[cfg(unix)]
extern "C" {
    fn dlopen(name: *const c_char, flags: i32) -> *mut c_void;
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
}

#[cfg(windows)]
extern "system" {
    fn LoadLibraryA(name: *const c_char) -> *mut c_void;
    fn GetProcAddress(handle: *mut c_void, name: *const c_char) -> *mut c_void;
}

fn open(name: &str) -> usize {
    #[cfg(unix)]
    const RTLD_NOW: i32 = 2;
    let _name = CString::new(name).expect("no library has a zero in its name");
    #[cfg(unix)]
    return unsafe { dlopen(_name.as_ptr(), RTLD_NOW) as usize };
    #[cfg(windows)]
    return unsafe { LoadLibraryA(_name.as_ptr()) as usize };
    #[cfg(not(any(unix, windows)))]
    0
}

fn symbol(_library: usize, name: &str) -> usize {
    let _name = CString::new(name).expect("no function has a zero in its name");
    #[cfg(unix)]
    return unsafe { dlsym(_library as *mut c_void, _name.as_ptr()) as usize };
    #[cfg(windows)]
    return unsafe { GetProcAddress(_library as *mut c_void, _name.as_ptr()) as usize };
    #[cfg(not(any(unix, windows)))]
    0
}

/// Functions of a library, each with its own name; what they return is their status, or that they are missing.
macro_rules! functions {
    ($library:ident = $names:expr; $(fn $name:ident($($arg:ident: $kind:ty),* $(,)?) -> $status:ty;)*) => {
        static $library: $crate::loading::Library = $crate::loading::Library::new($names);
        $(
            /// # Safety
            /// As the C function of this name.
            #[allow(non_snake_case, clippy::too_many_arguments, clippy::missing_safety_doc)]
            pub unsafe fn $name($($arg: $kind),*) -> Result<$status, $crate::Missing> {
                static KNOWN: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
                let address = $library.find(&KNOWN, stringify!($name))?;
                let function: unsafe extern "C" fn($($kind),*) -> $status = std::mem::transmute(address);
                Ok(function($($arg),*))
            }
        )*
    };
}
pub(crate) use functions;

/// What a library says of a failure, and whether it calls something a success.
macro_rules! failures {
    ($name:ident, $library:literal) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            Status(i32),
            Missing($crate::Missing),
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self {
                    Self::Status(status) => write!(f, "{} status {status}", $library),
                    Self::Missing(missing) => missing.fmt(f),
                }
            }
        }

        impl std::error::Error for $name {}

        pub(super) fn checked(status: Result<i32, $crate::Missing>) -> Result<(), $name> {
            match status {
                Ok(0) => Ok(()),
                Ok(status) => Err($name::Status(status)),
                Err(missing) => Err($name::Missing(missing)),
            }
        }
    };
}
pub(crate) use failures;
