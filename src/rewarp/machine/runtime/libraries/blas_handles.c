// Handles of hipBLAS and rocBLAS, and what is copied to and from vectors and matrices. Memory of the device is the host's.
#include "blas.h"

enum { HIP_LAST = 11, ROC_LAST = 15 };
static const uint64_t MARK = 0x62616c7377726577;
const int HIP_STATUS[] = {0, 9, 10, 3, 3, 3, 7};
const int ROC_STATUS[] = {0, 1, 11, 4, 3, 11, 2};

int is_handle(const void *handle) { return handle && ((const Handle *)handle)->mark == MARK; }

#define HANDLES(library, NAME_OF, create, destroy, set_stream, get_stream) \
    API int create(void **handle) { \
        COUNT(NAME_OF, #create); \
        REQUIRE(library, handle, NO_HANDLE); \
        Handle *made = room(sizeof *made); \
        *made = (Handle){.mark = MARK, .atomics = 1}; \
        *handle = made; \
        return 0; \
    } \
    API int destroy(Handle *handle) { \
        COUNT(NAME_OF, #destroy); \
        REQUIRE(library, is_handle(handle), NO_HANDLE); \
        handle->mark = 0; \
        free(handle); \
        return 0; \
    } \
    API int set_stream(Handle *handle, void *stream) { \
        COUNT(NAME_OF, #set_stream); \
        REQUIRE(library, is_handle(handle), NO_HANDLE); \
        handle->stream = stream; \
        return 0; \
    } \
    API int get_stream(Handle *handle, void **stream) { \
        COUNT(NAME_OF, #get_stream); \
        REQUIRE(library, is_handle(handle), NO_HANDLE); \
        REQUIRE(library, stream, BAD_POINTER); \
        *stream = handle->stream; \
        return 0; \
    }
HANDLES(HIP, "hipBLAS", hipblasCreate, hipblasDestroy, hipblasSetStream, hipblasGetStream)
HANDLES(ROC, "rocBLAS", rocblas_create_handle, rocblas_destroy_handle, rocblas_set_stream, rocblas_get_stream)

#define SETTING(library, NAME_OF, set, get, field) \
    API int set(Handle *handle, int value) { \
        COUNT(NAME_OF, #set); \
        REQUIRE(library, is_handle(handle), NO_HANDLE); \
        handle->field = value; \
        return 0; \
    } \
    API int get(Handle *handle, int *value) { \
        COUNT(NAME_OF, #get); \
        REQUIRE(library, is_handle(handle), NO_HANDLE); \
        REQUIRE(library, value, BAD_POINTER); \
        *value = handle->field; \
        return 0; \
    }
SETTING(HIP, "hipBLAS", hipblasSetPointerMode, hipblasGetPointerMode, pointer_mode)
SETTING(HIP, "hipBLAS", hipblasSetAtomicsMode, hipblasGetAtomicsMode, atomics)
SETTING(HIP, "hipBLAS", hipblasSetMathMode, hipblasGetMathMode, math)
SETTING(ROC, "rocBLAS", rocblas_set_pointer_mode, rocblas_get_pointer_mode, pointer_mode)
SETTING(ROC, "rocBLAS", rocblas_set_atomics_mode, rocblas_get_atomics_mode, atomics)
SETTING(ROC, "rocBLAS", rocblas_set_math_mode, rocblas_get_math_mode, math)

static int workspace(Handle *handle, void *memory, size_t size) {
    handle->workspace = memory, handle->workspace_size = size;
    return 0;
}
API int hipblasSetWorkspace(Handle *handle, void *memory, size_t size) {
    COUNT("hipBLAS", "hipblasSetWorkspace");
    REQUIRE(HIP, is_handle(handle), NO_HANDLE);
    return workspace(handle, memory, size);
}
API int rocblas_set_workspace(Handle *handle, void *memory, size_t size) {
    COUNT("rocBLAS", "rocblas_set_workspace");
    REQUIRE(ROC, is_handle(handle), NO_HANDLE);
    return workspace(handle, memory, size);
}

// --- copies ----------------------------------------------------------------------------------

static Wrong copy_vector(I64 n, I64 size, const char *x, I64 incx, char *y, I64 incy) {
    if (n < 0 || incx <= 0 || incy <= 0 || size <= 0) return BAD_SIZE;
    if (n && (!x || !y)) return BAD_POINTER;
    for (I64 i = 0; i < n; ++i) memcpy(y + i * incy * size, x + i * incx * size, size);
    return FINE;
}

static Wrong copy_matrix(I64 rows, I64 columns, I64 size, const char *a, I64 lda, char *b, I64 ldb) {
    if (rows < 0 || columns < 0 || size <= 0 || lda < rows || ldb < rows || lda < 1 || ldb < 1) return BAD_SIZE;
    if (rows && columns && (!a || !b)) return BAD_POINTER;
    for (I64 j = 0; j < columns; ++j) memcpy(b + j * ldb * size, a + j * lda * size, rows * size);
    return FINE;
}

#define COPIES(library, NAME_OF, vector, matrix, ending, I, ...) \
    API int vector##ending(I n, I size, const void *x, I incx, void *y, I incy __VA_ARGS__) { \
        COUNT(NAME_OF, #vector #ending); \
        return library##_STATUS[copy_vector(n, size, x, incx, y, incy)]; \
    } \
    API int matrix##ending(I rows, I columns, I size, const void *a, I lda, void *b, I ldb __VA_ARGS__) { \
        COUNT(NAME_OF, #matrix #ending); \
        return library##_STATUS[copy_matrix(rows, columns, size, a, lda, b, ldb)]; \
    }
#define ALL_COPIES(library, NAME_OF, vector, matrix, async) \
    COPIES(library, NAME_OF, vector, matrix, , int) \
    COPIES(library, NAME_OF, vector, matrix, _64, int64_t) \
    COPIES(library, NAME_OF, vector, matrix, async, int, , void *stream) \
    COPIES(library, NAME_OF, vector, matrix, async##_64, int64_t, , void *stream)
ALL_COPIES(HIP, "hipBLAS", hipblasSetVector, hipblasSetMatrix, Async)
ALL_COPIES(HIP, "hipBLAS", hipblasGetVector, hipblasGetMatrix, Async)
ALL_COPIES(ROC, "rocBLAS", rocblas_set_vector, rocblas_set_matrix, _async)
ALL_COPIES(ROC, "rocBLAS", rocblas_get_vector, rocblas_get_matrix, _async)

// --- words -----------------------------------------------------------------------------------

API const char *hipblasStatusToString(int status) {
    static const char *const words[] = {
        "HIPBLAS_STATUS_SUCCESS", "HIPBLAS_STATUS_NOT_INITIALIZED", "HIPBLAS_STATUS_ALLOC_FAILED", "HIPBLAS_STATUS_INVALID_VALUE",
        "HIPBLAS_STATUS_MAPPING_ERROR", "HIPBLAS_STATUS_EXECUTION_FAILED", "HIPBLAS_STATUS_INTERNAL_ERROR",
        "HIPBLAS_STATUS_NOT_SUPPORTED", "HIPBLAS_STATUS_ARCH_MISMATCH", "HIPBLAS_STATUS_HANDLE_IS_NULLPTR",
        "HIPBLAS_STATUS_INVALID_ENUM", "HIPBLAS_STATUS_UNKNOWN"};
    return words[status >= 0 && status <= HIP_LAST ? status : HIP_LAST];
}

API const char *rocblas_status_to_string(int status) {
    static const char *const words[] = {
        "rocblas_status_success", "rocblas_status_invalid_handle", "rocblas_status_not_implemented", "rocblas_status_invalid_pointer",
        "rocblas_status_invalid_size", "rocblas_status_memory_error", "rocblas_status_internal_error", "rocblas_status_perf_degraded",
        "rocblas_status_size_query_mismatch", "rocblas_status_size_increased", "rocblas_status_size_unchanged",
        "rocblas_status_invalid_value", "rocblas_status_continue", "rocblas_status_check_numerics_fail",
        "rocblas_status_excluded_from_build", "rocblas_status_arch_mismatch"};
    return status >= 0 && status <= ROC_LAST ? words[status] : "<undefined rocblas_status value>";
}

API void rocblas_initialize(void) {}
static const char VERSION[] = "4.4.0.rewarp";
API int rocblas_get_version_string_size(size_t *size) {
    REQUIRE(ROC, size, BAD_POINTER);
    *size = sizeof VERSION;
    return 0;
}
API int rocblas_get_version_string(char *text, size_t size) {
    REQUIRE(ROC, text, BAD_POINTER);
    REQUIRE(ROC, size >= sizeof VERSION, BAD_SIZE);
    memcpy(text, VERSION, sizeof VERSION);
    return 0;
}
API int rocblas_pointer_to_mode(void *pointer) { return pointer != NULL; }
API int rocblas_is_managing_device_memory(Handle *handle) { return 1; }
API int rocblas_is_user_managing_device_memory(Handle *handle) { return 0; }
