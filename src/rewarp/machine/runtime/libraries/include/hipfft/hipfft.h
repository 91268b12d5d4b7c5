// hipFFT, as far as the stand-in goes: names and values of AMD's interface.
#pragma once
#define HIPFFT_H_  // the guard of the library's own header, which programs ask about
#include <hip/hip_runtime_api.h>
#include <hip/hip_complex.h>
#include <hip/library_types.h>
#define HIPFFT_FORWARD -1
#define HIPFFT_BACKWARD 1
typedef struct hipfftHandle_t *hipfftHandle;
typedef hipComplex hipfftComplex;
typedef hipDoubleComplex hipfftDoubleComplex;
typedef float hipfftReal;
typedef double hipfftDoubleReal;
typedef enum {
    HIPFFT_SUCCESS = 0, HIPFFT_INVALID_PLAN = 1, HIPFFT_ALLOC_FAILED = 2, HIPFFT_INVALID_TYPE = 3, HIPFFT_INVALID_VALUE = 4,
    HIPFFT_INTERNAL_ERROR = 5, HIPFFT_EXEC_FAILED = 6, HIPFFT_SETUP_FAILED = 7, HIPFFT_INVALID_SIZE = 8,
    HIPFFT_UNALIGNED_DATA = 9, HIPFFT_INCOMPLETE_PARAMETER_LIST = 10, HIPFFT_INVALID_DEVICE = 11, HIPFFT_PARSE_ERROR = 12,
    HIPFFT_NO_WORKSPACE = 13, HIPFFT_NOT_IMPLEMENTED = 14, HIPFFT_NOT_SUPPORTED = 16
} hipfftResult;
typedef enum { HIPFFT_C2C = 0x29, HIPFFT_R2C = 0x2a, HIPFFT_C2R = 0x2c, HIPFFT_Z2Z = 0x69, HIPFFT_D2Z = 0x6a, HIPFFT_Z2D = 0x6c } hipfftType;
typedef enum { HIPFFT_MAJOR_VERSION, HIPFFT_MINOR_VERSION, HIPFFT_PATCH_LEVEL } hipfftLibraryPropertyType;

#ifdef __cplusplus
extern "C" {
#endif
hipfftResult hipfftCreate(hipfftHandle *plan);
hipfftResult hipfftDestroy(hipfftHandle plan);
hipfftResult hipfftPlan1d(hipfftHandle *plan, int nx, hipfftType type, int batch);
hipfftResult hipfftPlan2d(hipfftHandle *plan, int nx, int ny, hipfftType type);
hipfftResult hipfftPlan3d(hipfftHandle *plan, int nx, int ny, int nz, hipfftType type);
hipfftResult hipfftPlanMany(hipfftHandle *plan, int rank, int *n, int *inembed, int istride, int idist, int *onembed, int ostride, int odist, hipfftType type, int batch);
hipfftResult hipfftMakePlan1d(hipfftHandle plan, int nx, hipfftType type, int batch, size_t *size);
hipfftResult hipfftMakePlan2d(hipfftHandle plan, int nx, int ny, hipfftType type, size_t *size);
hipfftResult hipfftMakePlan3d(hipfftHandle plan, int nx, int ny, int nz, hipfftType type, size_t *size);
hipfftResult hipfftMakePlanMany(hipfftHandle plan, int rank, int *n, int *inembed, int istride, int idist, int *onembed, int ostride, int odist, hipfftType type, int batch, size_t *size);
hipfftResult hipfftMakePlanMany64(hipfftHandle plan, int rank, long long *n, long long *inembed, long long istride, long long idist, long long *onembed, long long ostride, long long odist, hipfftType type, long long batch, size_t *size);
hipfftResult hipfftEstimate1d(int nx, hipfftType type, int batch, size_t *size);
hipfftResult hipfftEstimate2d(int nx, int ny, hipfftType type, size_t *size);
hipfftResult hipfftEstimate3d(int nx, int ny, int nz, hipfftType type, size_t *size);
hipfftResult hipfftGetSize(hipfftHandle plan, size_t *size);
hipfftResult hipfftGetSize1d(hipfftHandle plan, int nx, hipfftType type, int batch, size_t *size);
hipfftResult hipfftGetSize2d(hipfftHandle plan, int nx, int ny, hipfftType type, size_t *size);
hipfftResult hipfftGetSize3d(hipfftHandle plan, int nx, int ny, int nz, hipfftType type, size_t *size);
hipfftResult hipfftSetAutoAllocation(hipfftHandle plan, int automatic);
hipfftResult hipfftSetWorkArea(hipfftHandle plan, void *area);
hipfftResult hipfftSetStream(hipfftHandle plan, hipStream_t stream);
hipfftResult hipfftExtPlanScaleFactor(hipfftHandle plan, double factor);
hipfftResult hipfftExecC2C(hipfftHandle plan, hipfftComplex *in, hipfftComplex *out, int direction);
hipfftResult hipfftExecR2C(hipfftHandle plan, hipfftReal *in, hipfftComplex *out);
hipfftResult hipfftExecC2R(hipfftHandle plan, hipfftComplex *in, hipfftReal *out);
hipfftResult hipfftExecZ2Z(hipfftHandle plan, hipfftDoubleComplex *in, hipfftDoubleComplex *out, int direction);
hipfftResult hipfftExecD2Z(hipfftHandle plan, hipfftDoubleReal *in, hipfftDoubleComplex *out);
hipfftResult hipfftExecZ2D(hipfftHandle plan, hipfftDoubleComplex *in, hipfftDoubleReal *out);
hipfftResult hipfftGetVersion(int *version);
hipfftResult hipfftGetProperty(hipfftLibraryPropertyType which, int *value);
#ifdef __cplusplus
}
#endif
