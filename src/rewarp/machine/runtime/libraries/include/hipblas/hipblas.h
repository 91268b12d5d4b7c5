// hipBLAS, as far as the stand-in goes: names and values of AMD's interface. The functions are generated.
#pragma once
#include <hip/hip_runtime_api.h>
#include <hip/hip_complex.h>
#include <hip/library_types.h>
#include <stdint.h>
#ifdef HIPBLAS_USE_HIP_HALF
#include <hip/hip_fp16.h>
typedef __half hipblasHalf;
#else
typedef uint16_t hipblasHalf;
#endif
typedef struct hipblasBfloat16 { uint16_t data; } hipblasBfloat16;
typedef void *hipblasHandle_t;
typedef int8_t hipblasInt8;
typedef int64_t hipblasStride;
typedef hipComplex hipblasComplex;
typedef hipDoubleComplex hipblasDoubleComplex;
#define hipblasVersionMajor 2
#define hipblasVersionMinor 4
#define hipblasVersionPatch 0

typedef enum {
    HIPBLAS_STATUS_SUCCESS = 0, HIPBLAS_STATUS_NOT_INITIALIZED = 1, HIPBLAS_STATUS_ALLOC_FAILED = 2,
    HIPBLAS_STATUS_INVALID_VALUE = 3, HIPBLAS_STATUS_MAPPING_ERROR = 4, HIPBLAS_STATUS_EXECUTION_FAILED = 5,
    HIPBLAS_STATUS_INTERNAL_ERROR = 6, HIPBLAS_STATUS_NOT_SUPPORTED = 7, HIPBLAS_STATUS_ARCH_MISMATCH = 8,
    HIPBLAS_STATUS_HANDLE_IS_NULLPTR = 9, HIPBLAS_STATUS_INVALID_ENUM = 10, HIPBLAS_STATUS_UNKNOWN = 11
} hipblasStatus_t;
typedef enum { HIPBLAS_OP_N = 111, HIPBLAS_OP_T = 112, HIPBLAS_OP_C = 113 } hipblasOperation_t;
typedef enum { HIPBLAS_POINTER_MODE_HOST, HIPBLAS_POINTER_MODE_DEVICE } hipblasPointerMode_t;
typedef enum { HIPBLAS_FILL_MODE_UPPER = 121, HIPBLAS_FILL_MODE_LOWER = 122, HIPBLAS_FILL_MODE_FULL = 123 } hipblasFillMode_t;
typedef enum { HIPBLAS_DIAG_NON_UNIT = 131, HIPBLAS_DIAG_UNIT = 132 } hipblasDiagType_t;
typedef enum { HIPBLAS_SIDE_LEFT = 141, HIPBLAS_SIDE_RIGHT = 142, HIPBLAS_SIDE_BOTH = 143 } hipblasSideMode_t;
typedef enum { HIPBLAS_DEFAULT_MATH, HIPBLAS_XF32_XDL_MATH, HIPBLAS_PEDANTIC_MATH, HIPBLAS_TF32_TENSOR_OP_MATH,
               HIPBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION, HIPBLAS_TENSOR_OP_MATH } hipblasMath_t;
typedef enum { HIPBLAS_ATOMICS_NOT_ALLOWED, HIPBLAS_ATOMICS_ALLOWED } hipblasAtomicsMode_t;
typedef enum { HIPBLAS_GEMM_DEFAULT = 160 } hipblasGemmAlgo_t;
typedef enum { HIPBLAS_GEMM_FLAGS_NONE = 0, HIPBLAS_GEMM_FLAGS_USE_CU_EFFICIENCY = 2, HIPBLAS_GEMM_FLAGS_FP16_ALT_IMPL = 4,
               HIPBLAS_GEMM_FLAGS_CHECK_SOLUTION_INDEX = 8, HIPBLAS_GEMM_FLAGS_FP16_ALT_IMPL_RNZ = 16 } hipblasGemmFlags_t;
typedef enum {
    HIPBLAS_COMPUTE_16F, HIPBLAS_COMPUTE_16F_PEDANTIC, HIPBLAS_COMPUTE_32F, HIPBLAS_COMPUTE_32F_PEDANTIC,
    HIPBLAS_COMPUTE_32F_FAST_16F, HIPBLAS_COMPUTE_32F_FAST_16BF, HIPBLAS_COMPUTE_32F_FAST_TF32, HIPBLAS_COMPUTE_64F,
    HIPBLAS_COMPUTE_64F_PEDANTIC, HIPBLAS_COMPUTE_32I, HIPBLAS_COMPUTE_32I_PEDANTIC
} hipblasComputeType_t;
// Both ways of naming a type are understood wherever one is asked for: HIP's own, and hipBLAS's of older versions.
typedef enum {
    HIPBLAS_R_16F = 150, HIPBLAS_R_32F = 151, HIPBLAS_R_64F = 152, HIPBLAS_C_16F = 153, HIPBLAS_C_32F = 154, HIPBLAS_C_64F = 155,
    HIPBLAS_R_8I = 160, HIPBLAS_R_8U = 161, HIPBLAS_R_32I = 162, HIPBLAS_R_32U = 163, HIPBLAS_R_16B = 168, HIPBLAS_C_16B = 169
} hipblasDatatype_t;

#ifdef __cplusplus
extern "C" {
#endif
hipblasStatus_t hipblasCreate(hipblasHandle_t *handle);
hipblasStatus_t hipblasDestroy(hipblasHandle_t handle);
hipblasStatus_t hipblasSetStream(hipblasHandle_t handle, hipStream_t stream);
hipblasStatus_t hipblasGetStream(hipblasHandle_t handle, hipStream_t *stream);
hipblasStatus_t hipblasSetPointerMode(hipblasHandle_t handle, hipblasPointerMode_t mode);
hipblasStatus_t hipblasGetPointerMode(hipblasHandle_t handle, hipblasPointerMode_t *mode);
hipblasStatus_t hipblasSetMathMode(hipblasHandle_t handle, hipblasMath_t mode);
hipblasStatus_t hipblasGetMathMode(hipblasHandle_t handle, hipblasMath_t *mode);
hipblasStatus_t hipblasSetAtomicsMode(hipblasHandle_t handle, hipblasAtomicsMode_t mode);
hipblasStatus_t hipblasGetAtomicsMode(hipblasHandle_t handle, hipblasAtomicsMode_t *mode);
hipblasStatus_t hipblasSetWorkspace(hipblasHandle_t handle, void *memory, size_t size);
hipblasStatus_t hipblasSetVector(int n, int size, const void *x, int incx, void *y, int incy);
hipblasStatus_t hipblasGetVector(int n, int size, const void *x, int incx, void *y, int incy);
hipblasStatus_t hipblasSetMatrix(int rows, int columns, int size, const void *a, int lda, void *b, int ldb);
hipblasStatus_t hipblasGetMatrix(int rows, int columns, int size, const void *a, int lda, void *b, int ldb);
hipblasStatus_t hipblasSetVectorAsync(int n, int size, const void *x, int incx, void *y, int incy, hipStream_t stream);
hipblasStatus_t hipblasGetVectorAsync(int n, int size, const void *x, int incx, void *y, int incy, hipStream_t stream);
hipblasStatus_t hipblasSetMatrixAsync(int rows, int columns, int size, const void *a, int lda, void *b, int ldb, hipStream_t stream);
hipblasStatus_t hipblasGetMatrixAsync(int rows, int columns, int size, const void *a, int lda, void *b, int ldb, hipStream_t stream);
const char *hipblasStatusToString(hipblasStatus_t status);
#include <hipblas/functions.h>
#ifdef __cplusplus
}
#endif
