#include <cusparse.h>

void multiply(int rows, int columns, int nonzeros, int* offsets, int* indices, float* values, float* x, float* y) {
  cusparseHandle_t handle;
  cusparseSpMatDescr_t matrix;
  cusparseDnVecDescr_t in, out;
  cusparseCreate(&handle);
  cusparseCreateCsr(&matrix, rows, columns, nonzeros, offsets, indices, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                    CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
  cusparseCreateDnVec(&in, columns, x, CUDA_R_32F);
  cusparseCreateDnVec(&out, rows, y, CUDA_R_32F);
  float one = 1, zero = 0;
  size_t bytes = 0;
  void* buffer = nullptr;
  cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, in, &zero, out, CUDA_R_32F,
                          CUSPARSE_SPMV_ALG_DEFAULT, &bytes);
  cudaMalloc(&buffer, bytes);
  cusparseStatus_t status = cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, in, &zero, out,
                                         CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, buffer);
  if (status != CUSPARSE_STATUS_SUCCESS) cudaFree(buffer);
  cusparseDestroySpMat(matrix);
  cusparseDestroy(handle);
}
// ---- HIP ----
#include <hip/hip_runtime.h>
#include <hipsparse/hipsparse.h>

void multiply(int rows, int columns, int nonzeros, int* offsets, int* indices, float* values, float* x, float* y) {
  hipsparseHandle_t handle;
  hipsparseSpMatDescr_t matrix;
  hipsparseDnVecDescr_t in, out;
  hipsparseCreate(&handle);
  hipsparseCreateCsr(&matrix, rows, columns, nonzeros, offsets, indices, values, HIPSPARSE_INDEX_32I, HIPSPARSE_INDEX_32I,
                    HIPSPARSE_INDEX_BASE_ZERO, HIP_R_32F);
  hipsparseCreateDnVec(&in, columns, x, HIP_R_32F);
  hipsparseCreateDnVec(&out, rows, y, HIP_R_32F);
  float one = 1, zero = 0;
  size_t bytes = 0;
  void* buffer = nullptr;
  hipsparseSpMV_bufferSize(handle, HIPSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, in, &zero, out, HIP_R_32F,
                          HIPSPARSE_SPMV_ALG_DEFAULT, &bytes);
  hipMalloc(&buffer, bytes);
  hipsparseStatus_t status = hipsparseSpMV(handle, HIPSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, in, &zero, out,
                                         HIP_R_32F, HIPSPARSE_SPMV_ALG_DEFAULT, buffer);
  if (status != HIPSPARSE_STATUS_SUCCESS) hipFree(buffer);
  hipsparseDestroySpMat(matrix);
  hipsparseDestroy(handle);
}
