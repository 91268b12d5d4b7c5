//! The types of cudarc that the workspace uses. Each call says that there is no CUDA here.

pub mod driver {
    use std::marker::PhantomData;
    use std::sync::Arc;

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct DriverError(pub u32);

    impl std::fmt::Display for DriverError {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            write!(f, "CUDA error {}", self.0)
        }
    }

    const NO_DEVICE: DriverError = DriverError(100);

    pub unsafe trait DeviceRepr {}
    unsafe impl DeviceRepr for f32 {}
    unsafe impl DeviceRepr for usize {}
    pub unsafe trait ValidAsZeroBits {}
    unsafe impl ValidAsZeroBits for f32 {}

    #[derive(Debug)]
    pub struct CudaContext(());
    #[derive(Debug)]
    pub struct CudaStream(());
    #[derive(Debug)]
    pub struct CudaModule(());
    #[derive(Clone, Debug)]
    pub struct CudaFunction(());
    #[derive(Debug)]
    pub struct CudaSlice<T>(usize, PhantomData<T>);

    impl CudaContext {
        pub fn new(_: usize) -> Result<Arc<Self>, DriverError> {
            Err(NO_DEVICE)
        }
        pub fn ordinal(&self) -> usize {
            0
        }
        pub fn default_stream(self: &Arc<Self>) -> Arc<CudaStream> {
            Arc::new(CudaStream(()))
        }
        pub fn load_module(
            self: &Arc<Self>,
            _: super::nvrtc::Ptx,
        ) -> Result<Arc<CudaModule>, DriverError> {
            Err(NO_DEVICE)
        }
    }

    impl CudaModule {
        pub fn load_function(self: &Arc<Self>, _: &str) -> Result<CudaFunction, DriverError> {
            Err(NO_DEVICE)
        }
    }

    impl<T> CudaSlice<T> {
        pub fn len(&self) -> usize {
            self.0
        }
        pub fn is_empty(&self) -> bool {
            self.0 == 0
        }
    }

    pub struct SyncOnDrop<'a>(PhantomData<&'a ()>);

    pub trait DevicePtr<T> {
        fn device_ptr<'a>(&'a self, stream: &'a CudaStream) -> (u64, SyncOnDrop<'a>);
    }

    pub trait DevicePtrMut<T> {
        fn device_ptr_mut<'a>(&'a mut self, stream: &'a CudaStream) -> (u64, SyncOnDrop<'a>);
    }

    impl<T> DevicePtr<T> for CudaSlice<T> {
        fn device_ptr<'a>(&'a self, _: &'a CudaStream) -> (u64, SyncOnDrop<'a>) {
            (0, SyncOnDrop(PhantomData))
        }
    }

    impl<T> DevicePtrMut<T> for CudaSlice<T> {
        fn device_ptr_mut<'a>(&'a mut self, _: &'a CudaStream) -> (u64, SyncOnDrop<'a>) {
            (0, SyncOnDrop(PhantomData))
        }
    }

    impl CudaStream {
        pub fn cu_stream(&self) -> *mut std::ffi::c_void {
            std::ptr::null_mut()
        }
        pub fn alloc_zeros<T: DeviceRepr + ValidAsZeroBits>(
            self: &Arc<Self>,
            len: usize,
        ) -> Result<CudaSlice<T>, DriverError> {
            Ok(CudaSlice(len, PhantomData))
        }
        pub fn clone_htod<T: DeviceRepr>(
            self: &Arc<Self>,
            from: &Vec<T>,
        ) -> Result<CudaSlice<T>, DriverError> {
            Ok(CudaSlice(from.len(), PhantomData))
        }
        pub fn clone_dtoh<T: DeviceRepr>(&self, _: &CudaSlice<T>) -> Result<Vec<T>, DriverError> {
            Err(NO_DEVICE)
        }
        pub fn launch_builder<'a>(&'a self, _: &'a CudaFunction) -> LaunchArgs<'a> {
            LaunchArgs(PhantomData)
        }
    }

    #[derive(Clone, Copy, Debug)]
    pub struct LaunchConfig {
        pub grid_dim: (u32, u32, u32),
        pub block_dim: (u32, u32, u32),
        pub shared_mem_bytes: u32,
    }

    impl LaunchConfig {
        pub fn for_num_elems(n: u32) -> Self {
            Self {
                grid_dim: (n.div_ceil(1024), 1, 1),
                block_dim: (1024, 1, 1),
                shared_mem_bytes: 0,
            }
        }
    }

    pub struct LaunchArgs<'a>(PhantomData<&'a ()>);

    pub unsafe trait PushKernelArg<T> {
        fn arg(&mut self, arg: T) -> &mut Self;
    }

    unsafe impl<'a, 'b: 'a, T> PushKernelArg<&'b T> for LaunchArgs<'a> {
        fn arg(&mut self, _: &'b T) -> &mut Self {
            self
        }
    }

    impl LaunchArgs<'_> {
        /// # Safety
        /// As cudarc's.
        pub unsafe fn launch(&mut self, _: LaunchConfig) -> Result<(), DriverError> {
            Err(NO_DEVICE)
        }
    }
}

pub mod nvrtc {
    pub struct Ptx(pub String);

    impl From<&str> for Ptx {
        fn from(text: &str) -> Self {
            Self(text.to_string())
        }
    }
}
