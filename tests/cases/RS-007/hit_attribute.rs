#[link(name = "cublas")]
extern "C" {
    fn cublasCreate_v2(handle: *mut *mut u8) -> i32;
}

#[link(kind = "dylib", name = "nccl")]
extern "C" {}
# output
1 build-fail: "cublas"
6 build-fail: "nccl"
