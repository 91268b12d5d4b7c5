#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda.h>
#include <torch/extension.h>

#include <tuple>

#include "kernels.cuh"

#if CUDA_VERSION < 12000
#error "warpnorm needs CUDA 12 or later"
#endif

#define CHECK_INPUT(t)                                         \
  TORCH_CHECK((t).is_cuda(), #t " must be a CUDA tensor");     \
  TORCH_CHECK((t).is_contiguous(), #t " must be contiguous");  \
  TORCH_CHECK((t).scalar_type() == at::kFloat, #t " must be float32")

namespace {

void check(cudaError_t status) { TORCH_CHECK(status == cudaSuccess, "CUDA error: ", cudaGetErrorString(status)); }

cudaStream_t stream() { return c10::cuda::getCurrentCUDAStream().stream(); }

at::Tensor layer_norm(const at::Tensor &x, const at::Tensor &gamma, const at::Tensor &beta, double eps) {
  CHECK_INPUT(x);
  CHECK_INPUT(gamma);
  CHECK_INPUT(beta);
  const c10::cuda::CUDAGuard guard(x.device());
  const int64_t cols = x.size(-1);
  TORCH_CHECK(gamma.numel() == cols && beta.numel() == cols, "gamma and beta must have ", cols, " elements");
  at::Tensor y = at::empty_like(x);
  check(warpnorm::layer_norm(x.data_ptr<float>(), gamma.data_ptr<float>(), beta.data_ptr<float>(),
                             y.data_ptr<float>(), x.numel() / cols, cols, eps, stream()));
  return y;
}

at::Tensor softmax(const at::Tensor &x) {
  CHECK_INPUT(x);
  const c10::cuda::CUDAGuard guard(x.device());
  at::Tensor y = at::empty_like(x);
  const int64_t cols = x.size(-1);
  check(warpnorm::softmax(x.data_ptr<float>(), y.data_ptr<float>(), x.numel() / cols, cols, stream()));
  return y;
}

std::tuple<at::Tensor, at::Tensor> histogram(const at::Tensor &x, double low, double high) {
  CHECK_INPUT(x);
  const c10::cuda::CUDAGuard guard(x.device());
  at::Tensor bins = at::empty({warpnorm::kHistogramBins}, x.options().dtype(at::kInt));
  at::Tensor finite = at::empty({}, x.options().dtype(at::kInt));
  check(warpnorm::histogram(x.data_ptr<float>(), x.numel(), low, high, bins.data_ptr<int>(),
                            finite.data_ptr<int>(), stream()));
  return {bins, finite};
}

at::Tensor gelu_table(const at::Tensor &x) {
  CHECK_INPUT(x);
  const c10::cuda::CUDAGuard guard(x.device());
  at::Tensor y = at::empty_like(x);
  check(warpnorm::gelu_table(x.data_ptr<float>(), y.data_ptr<float>(), x.numel(), stream()));
  return y;
}

at::Tensor matmul(const at::Tensor &a, const at::Tensor &b) {
  CHECK_INPUT(a);
  CHECK_INPUT(b);
  const c10::cuda::CUDAGuard guard(a.device());
  TORCH_CHECK(a.dim() == 2 && b.dim() == 2 && a.size(1) == b.size(0), "shapes do not match");
  at::Tensor c = at::empty({a.size(0), b.size(1)}, a.options());
  TORCH_CHECK(warpnorm::matmul(a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>(), a.size(0),
                               b.size(1), a.size(1), stream()),
              "no cuBLAS in this build, or the call failed");
  return c;
}

}  // namespace

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("layer_norm", &layer_norm, "Fused layer norm");
  m.def("softmax", &softmax, "Softmax over the last dimension");
  m.def("histogram", &histogram, "256-bin histogram and the number of finite values");
  m.def("gelu_table", &gelu_table, "GELU by table lookup");
  m.def("matmul", &matmul, "FP32 product through cuBLAS");
}
