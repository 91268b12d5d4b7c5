// rocBLAS, as far as the stand-in goes: names and values of AMD's interface. The functions are generated.
#pragma once
#define ROCBLAS_H  // the guard of the library's own header, which programs ask about
#include <hip/hip_runtime_api.h>
#include <hip/hip_complex.h>
#include <stdint.h>
typedef struct _rocblas_handle *rocblas_handle;
typedef int32_t rocblas_int;
typedef int64_t rocblas_stride;
typedef float rocblas_float;
typedef double rocblas_double;
#ifdef __cplusplus
typedef _Float16 rocblas_half;
#else
typedef struct { uint16_t data; } rocblas_half;
#endif
typedef struct rocblas_bfloat16 { uint16_t data; } rocblas_bfloat16;
typedef hipComplex rocblas_float_complex;
typedef hipDoubleComplex rocblas_double_complex;
#define ROCBLAS_VERSION_MAJOR 4
#define ROCBLAS_VERSION_MINOR 4
#define ROCBLAS_VERSION_PATCH 0

typedef enum {
    rocblas_status_success = 0, rocblas_status_invalid_handle = 1, rocblas_status_not_implemented = 2,
    rocblas_status_invalid_pointer = 3, rocblas_status_invalid_size = 4, rocblas_status_memory_error = 5,
    rocblas_status_internal_error = 6, rocblas_status_perf_degraded = 7, rocblas_status_size_query_mismatch = 8,
    rocblas_status_size_increased = 9, rocblas_status_size_unchanged = 10, rocblas_status_invalid_value = 11,
    rocblas_status_continue = 12, rocblas_status_check_numerics_fail = 13, rocblas_status_excluded_from_build = 14,
    rocblas_status_arch_mismatch = 15
} rocblas_status;
typedef enum { rocblas_operation_none = 111, rocblas_operation_transpose = 112, rocblas_operation_conjugate_transpose = 113 } rocblas_operation;
typedef enum { rocblas_fill_upper = 121, rocblas_fill_lower = 122, rocblas_fill_full = 123 } rocblas_fill;
typedef enum { rocblas_diagonal_non_unit = 131, rocblas_diagonal_unit = 132 } rocblas_diagonal;
typedef enum { rocblas_side_left = 141, rocblas_side_right = 142, rocblas_side_both = 143 } rocblas_side;
typedef enum { rocblas_pointer_mode_host = 0, rocblas_pointer_mode_device = 1 } rocblas_pointer_mode;
typedef enum { rocblas_atomics_not_allowed = 0, rocblas_atomics_allowed = 1 } rocblas_atomics_mode;
typedef enum { rocblas_default_math = 0, rocblas_xf32_xdl_math_op = 1 } rocblas_math_mode;
typedef enum { rocblas_gemm_algo_standard = 0, rocblas_gemm_algo_solution_index = 1 } rocblas_gemm_algo;
typedef enum { rocblas_gemm_flags_none = 0, rocblas_gemm_flags_use_cu_efficiency = 2, rocblas_gemm_flags_fp16_alt_impl = 4,
               rocblas_gemm_flags_check_solution_index = 8, rocblas_gemm_flags_fp16_alt_impl_rnz = 16 } rocblas_gemm_flags;
typedef enum {
    rocblas_datatype_f16_r = 150, rocblas_datatype_f32_r = 151, rocblas_datatype_f64_r = 152, rocblas_datatype_f16_c = 153,
    rocblas_datatype_f32_c = 154, rocblas_datatype_f64_c = 155, rocblas_datatype_i8_r = 160, rocblas_datatype_u8_r = 161,
    rocblas_datatype_i32_r = 162, rocblas_datatype_u32_r = 163, rocblas_datatype_bf16_r = 168, rocblas_datatype_bf16_c = 169
} rocblas_datatype;

#ifdef __cplusplus
extern "C" {
#endif
rocblas_status rocblas_create_handle(rocblas_handle *handle);
rocblas_status rocblas_destroy_handle(rocblas_handle handle);
rocblas_status rocblas_set_stream(rocblas_handle handle, hipStream_t stream);
rocblas_status rocblas_get_stream(rocblas_handle handle, hipStream_t *stream);
rocblas_status rocblas_set_pointer_mode(rocblas_handle handle, rocblas_pointer_mode mode);
rocblas_status rocblas_get_pointer_mode(rocblas_handle handle, rocblas_pointer_mode *mode);
rocblas_status rocblas_set_atomics_mode(rocblas_handle handle, rocblas_atomics_mode mode);
rocblas_status rocblas_get_atomics_mode(rocblas_handle handle, rocblas_atomics_mode *mode);
rocblas_status rocblas_set_math_mode(rocblas_handle handle, rocblas_math_mode mode);
rocblas_status rocblas_get_math_mode(rocblas_handle handle, rocblas_math_mode *mode);
rocblas_status rocblas_set_workspace(rocblas_handle handle, void *memory, size_t size);
rocblas_status rocblas_set_vector(rocblas_int n, rocblas_int size, const void *x, rocblas_int incx, void *y, rocblas_int incy);
rocblas_status rocblas_get_vector(rocblas_int n, rocblas_int size, const void *x, rocblas_int incx, void *y, rocblas_int incy);
rocblas_status rocblas_set_matrix(rocblas_int rows, rocblas_int columns, rocblas_int size, const void *a, rocblas_int lda, void *b, rocblas_int ldb);
rocblas_status rocblas_get_matrix(rocblas_int rows, rocblas_int columns, rocblas_int size, const void *a, rocblas_int lda, void *b, rocblas_int ldb);
rocblas_status rocblas_get_version_string(char *text, size_t size);
rocblas_status rocblas_get_version_string_size(size_t *size);
const char *rocblas_status_to_string(rocblas_status status);
void rocblas_initialize(void);
#include <rocblas/functions.h>
#ifdef __cplusplus
}
#endif
