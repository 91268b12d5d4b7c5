/// One test for each device.
#[macro_export]
macro_rules! test_device {
    ($function: ident, $test_cpu: ident, $test_cuda: ident) => {
        #[test]
        fn $test_cpu() -> Result<()> {
            $function(&Device::Cpu)
        }

        #[cfg(feature = "cuda")]
        #[test]
        fn $test_cuda() -> Result<()> {
            $function(&Device::new_cuda(0)?)
        }
    };
}
