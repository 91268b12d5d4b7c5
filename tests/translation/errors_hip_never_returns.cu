#include <cuda_runtime.h>

const char* name_of(cudaError_t error) {
  switch (error) {
    case cudaSuccess: return "cudaSuccess";
    case cudaErrorInvalidPitchValue: return "cudaErrorInvalidPitchValue";
    case cudaErrorInvalidHostPointer: return "cudaErrorInvalidHostPointer";
    case cudaErrorTextureFetchFailed: return "cudaErrorTextureFetchFailed";
    case cudaErrorNotYetImplemented: return "cudaErrorNotYetImplemented";
    case cudaErrorInvalidTexture: return "cudaErrorInvalidTexture";
    case cudaErrorInvalidChannelDescriptor: return "cudaErrorInvalidChannelDescriptor";
    case cudaErrorApiFailureBase: return "cudaErrorApiFailureBase";
    case cudaErrorTimeout: return "cudaErrorTimeout";
    case cudaErrorMpsServerNotReady: return "cudaErrorMpsServerNotReady";
    case cudaErrorUnknown: return "cudaErrorUnknown";
    default: return "?";
  }
}

bool is_lost(cudaError_t error) { return error == cudaErrorDuplicateVariableName || error >= cudaErrorApiFailureBase; }
// ---- HIP ----
#include "rewarp_hip.h"
#include <hip/hip_runtime.h>

const char* name_of(hipError_t error) {
  switch (error) {
    case hipSuccess: return "cudaSuccess";
    case hipErrorInvalidPitchValue: return "cudaErrorInvalidPitchValue";
    case cudaErrorInvalidHostPointer: return "cudaErrorInvalidHostPointer";
    case cudaErrorTextureFetchFailed: return "cudaErrorTextureFetchFailed";
    case cudaErrorNotYetImplemented: return "cudaErrorNotYetImplemented";
    case hipErrorInvalidTexture: return "cudaErrorInvalidTexture";
    case hipErrorInvalidChannelDescriptor: return "cudaErrorInvalidChannelDescriptor";
    case cudaErrorApiFailureBase: return "cudaErrorApiFailureBase";
    case cudaErrorTimeout: return "cudaErrorTimeout";
    case cudaErrorMpsServerNotReady: return "cudaErrorMpsServerNotReady";
    case hipErrorUnknown: return "cudaErrorUnknown";
    default: return "?";
  }
}

bool is_lost(hipError_t error) { return error == cudaErrorDuplicateVariableName || error >= cudaErrorApiFailureBase; }
