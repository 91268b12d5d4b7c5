fn main() {
    if cfg!(feature = "rocm") {
        std::process::Command::new("hipcc").status().unwrap();
    } else {
        std::process::Command::new("nvcc").status().unwrap();
    }
}
# output
5 info: "nvcc"
