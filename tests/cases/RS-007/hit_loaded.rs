fn driver() -> libloading::Library {
    unsafe { libloading::Library::new("libcuda.so.1").unwrap() }
}
# output
2 crash: "libcuda.so.1"
