// hipBLAS, as far as the stand-in goes: names and values of AMD's interface. The functions are generated.
#pragma once
#define HIPBLAS_H  // the guard of the library's own header, which programs ask about
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
typedef hipDataType hipblasDatatype_t;
#define HIPBLAS_R_16F HIP_R_16F
#define HIPBLAS_R_32F HIP_R_32F
#define HIPBLAS_R_64F HIP_R_64F
#define HIPBLAS_C_16F HIP_C_16F
#define HIPBLAS_C_32F HIP_C_32F
#define HIPBLAS_C_64F HIP_C_64F
#define HIPBLAS_R_8I HIP_R_8I
#define HIPBLAS_R_8U HIP_R_8U
#define HIPBLAS_R_32I HIP_R_32I
#define HIPBLAS_R_32U HIP_R_32U
#define HIPBLAS_R_16B HIP_R_16BF
#define HIPBLAS_C_16B HIP_C_16BF

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
#ifdef __cplusplus
// Older programs name what is computed in as they name types of data.
static inline hipblasComputeType_t rewarp_compute_type(hipDataType type) {
    return (hipblasComputeType_t)(type == HIP_R_16F ? 150 : type == HIP_R_32F ? 151 : type == HIP_R_64F ? 152
                                  : type == HIP_C_32F ? 154 : type == HIP_C_64F ? 155 : type == HIP_R_32I ? 162 : 255);
}
#include <hipblas/overloads.h>
#endif
