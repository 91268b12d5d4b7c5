#include <cublasLt.h>
#include <cuda_runtime.h>

cublasStatus_t multiply(cublasLtHandle_t handle, const void* a, const void* b, void* c, int m, int n, int k, void* bias,
                        void* workspace, size_t workspace_bytes, cudaStream_t stream) {
  cublasLtMatmulDesc_t operation;
  cublasLtMatrixLayout_t layout_a, layout_b, layout_c;
  cublasOperation_t transpose = CUBLAS_OP_T;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_BIAS;
  cublasLtMatmulDescCreate(&operation, CUBLAS_COMPUTE_32F, CUDA_R_32F);
  cublasLtMatmulDescSetAttribute(operation, CUBLASLT_MATMUL_DESC_TRANSA, &transpose, sizeof(transpose));
  cublasLtMatmulDescSetAttribute(operation, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof(epilogue));
  cublasLtMatmulDescSetAttribute(operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof(bias));
  cublasLtMatrixLayoutCreate(&layout_a, CUDA_R_16BF, k, m, k);
  cublasLtMatrixLayoutCreate(&layout_b, CUDA_R_16BF, k, n, k);
  cublasLtMatrixLayoutCreate(&layout_c, CUDA_R_16BF, m, n, m);
  cublasLtMatmulPreference_t preference;
  cublasLtMatmulPreferenceCreate(&preference);
  cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace_bytes,
                                       sizeof(workspace_bytes));
  cublasLtMatmulHeuristicResult_t heuristic;
  int found = 0;
  cublasLtMatmulAlgoGetHeuristic(handle, operation, layout_a, layout_b, layout_c, layout_c, preference, 1, &heuristic,
                                 &found);
  float one = 1, zero = 0;
  return cublasLtMatmul(handle, operation, &one, a, layout_a, b, layout_b, &zero, c, layout_c, c, layout_c,
                        &heuristic.algo, workspace, workspace_bytes, stream);
}
// ---- HIP ----
#include <hipblaslt/hipblaslt.h>
#include <hip/hip_runtime.h>

hipblasStatus_t multiply(hipblasLtHandle_t handle, const void* a, const void* b, void* c, int m, int n, int k, void* bias,
                        void* workspace, size_t workspace_bytes, hipStream_t stream) {
  hipblasLtMatmulDesc_t operation;
  hipblasLtMatrixLayout_t layout_a, layout_b, layout_c;
  hipblasOperation_t transpose = HIPBLAS_OP_T;
  hipblasLtEpilogue_t epilogue = HIPBLASLT_EPILOGUE_BIAS;
  hipblasLtMatmulDescCreate(&operation, HIPBLAS_COMPUTE_32F, HIP_R_32F);
  hipblasLtMatmulDescSetAttribute(operation, HIPBLASLT_MATMUL_DESC_TRANSA, &transpose, sizeof(transpose));
  hipblasLtMatmulDescSetAttribute(operation, HIPBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof(epilogue));
  hipblasLtMatmulDescSetAttribute(operation, HIPBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof(bias));
  hipblasLtMatrixLayoutCreate(&layout_a, HIP_R_16BF, k, m, k);
  hipblasLtMatrixLayoutCreate(&layout_b, HIP_R_16BF, k, n, k);
  hipblasLtMatrixLayoutCreate(&layout_c, HIP_R_16BF, m, n, m);
  hipblasLtMatmulPreference_t preference;
  hipblasLtMatmulPreferenceCreate(&preference);
  hipblasLtMatmulPreferenceSetAttribute(preference, HIPBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace_bytes,
                                       sizeof(workspace_bytes));
  hipblasLtMatmulHeuristicResult_t heuristic;
  int found = 0;
  hipblasLtMatmulAlgoGetHeuristic(handle, operation, layout_a, layout_b, layout_c, layout_c, preference, 1, &heuristic,
                                 &found);
  float one = 1, zero = 0;
  return hipblasLtMatmul(handle, operation, &one, a, layout_a, b, layout_b, &zero, c, layout_c, c, layout_c,
                        &heuristic.algo, workspace, workspace_bytes, stream);
}
