fn main() {
    if std::env::var("CARGO_FEATURE_ROCM").is_ok() || cfg!(feature = "rocm") {
        println!("cargo:rustc-link-lib=amdhip64");
    } else {
        println!("cargo:rustc-link-lib=cudart");
    }
}
# output
5 info: "cargo:rustc-link-lib=cudart"
