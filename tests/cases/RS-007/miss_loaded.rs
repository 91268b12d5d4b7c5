fn plugin() -> libloading::Library {
    println!("libcudart.so is not needed");
    unsafe { libloading::Library::new("libplugin.so").unwrap() }
}
# output
