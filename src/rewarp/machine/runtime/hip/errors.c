// Error codes, as HIP gives them.
#include "state.h"

static __thread hipError_t last;

hipError_t said(hipError_t error) {
    if (error != hipSuccess) last = error;
    return error;
}
API hipError_t hipGetLastError(void) {
    hipError_t error = last;
    last = hipSuccess;
    return error;
}
API hipError_t hipExtGetLastError(void) { return hipGetLastError(); }
API hipError_t hipPeekAtLastError(void) { return last; }

typedef struct Words { hipError_t error; const char *name, *text; } Words;
static const Words WORDS[] = {
#define WORD(error, text) {error, #error, text}
    WORD(hipSuccess, "no error"), WORD(hipErrorInvalidValue, "invalid argument"), WORD(hipErrorOutOfMemory, "out of memory"),
    WORD(hipErrorNotInitialized, "initialization error"), WORD(hipErrorDeinitialized, "driver shutting down"),
    WORD(hipErrorInvalidConfiguration, "invalid configuration argument"), WORD(hipErrorInvalidPitchValue, "invalid pitch argument"),
    WORD(hipErrorInvalidSymbol, "invalid device symbol"), WORD(hipErrorInvalidDevicePointer, "invalid device pointer"),
    WORD(hipErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"), WORD(hipErrorInvalidDeviceFunction, "invalid device function"),
    WORD(hipErrorNoDevice, "no ROCm-capable device is detected"), WORD(hipErrorInvalidDevice, "invalid device ordinal"),
    WORD(hipErrorInvalidImage, "device kernel image is invalid"), WORD(hipErrorInvalidContext, "invalid device context"),
    WORD(hipErrorMapFailed, "mapping of buffer object failed"), WORD(hipErrorUnmapFailed, "unmapping of buffer object failed"),
    WORD(hipErrorNoBinaryForGpu, "no kernel image is available for execution on the device"),
    WORD(hipErrorUnsupportedLimit, "limit is not supported on this architecture"),
    WORD(hipErrorPeerAccessUnsupported, "peer access is not supported between these two devices"),
    WORD(hipErrorInvalidKernelFile, "invalid kernel file"), WORD(hipErrorInvalidSource, "invalid source"),
    WORD(hipErrorFileNotFound, "file not found"), WORD(hipErrorSharedObjectSymbolNotFound, "shared object symbol not found"),
    WORD(hipErrorSharedObjectInitFailed, "shared object initialization failed"), WORD(hipErrorOperatingSystem, "OS call failed or operation not supported on this OS"),
    WORD(hipErrorInvalidHandle, "invalid resource handle"), WORD(hipErrorIllegalState, "the operation cannot be performed in the present state"),
    WORD(hipErrorNotFound, "named symbol not found"), WORD(hipErrorNotReady, "device not ready"),
    WORD(hipErrorIllegalAddress, "an illegal memory access was encountered"), WORD(hipErrorLaunchOutOfResources, "too many resources requested for launch"),
    WORD(hipErrorLaunchTimeOut, "the launch timed out and was terminated"), WORD(hipErrorPeerAccessAlreadyEnabled, "peer access is already enabled"),
    WORD(hipErrorPeerAccessNotEnabled, "peer access has not been enabled"), WORD(hipErrorContextIsDestroyed, "context is destroyed"),
    WORD(hipErrorAssert, "device-side assert triggered"), WORD(hipErrorHostMemoryAlreadyRegistered, "part or all of the requested memory range is already mapped"),
    WORD(hipErrorHostMemoryNotRegistered, "pointer does not correspond to a registered memory region"),
    WORD(hipErrorLaunchFailure, "unspecified launch failure"), WORD(hipErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch"),
    WORD(hipErrorNotSupported, "operation not supported"), WORD(hipErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing"),
    WORD(hipErrorStreamCaptureInvalidated, "operation failed due to a previous error during capture"),
    WORD(hipErrorStreamCaptureMerge, "operation would result in a merge of separate capture sequences"),
    WORD(hipErrorStreamCaptureUnmatched, "capture was not ended in the same stream as it began"),
    WORD(hipErrorStreamCaptureUnjoined, "capturing stream has unjoined work"), WORD(hipErrorStreamCaptureIsolation, "dependency created on uncaptured work in another stream"),
    WORD(hipErrorStreamCaptureImplicit, "operation would make the legacy stream depend on a capturing blocking stream"),
    WORD(hipErrorCapturedEvent, "operation not permitted on an event last recorded in a capturing stream"),
    WORD(hipErrorStreamCaptureWrongThread, "attempt to terminate a thread-local capture sequence from another thread"),
    WORD(hipErrorGraphExecUpdateFailure, "the graph update was not performed because it included changes which violated constraints specific to instantiated graph update"),
    WORD(hipErrorMissingConfiguration, "__global__ function call is not configured"), WORD(hipErrorPriorLaunchFailure, "unspecified launch failure in prior launch"),
    WORD(hipErrorInsufficientDriver, "driver version is insufficient for runtime version"),
    WORD(hipErrorRuntimeMemory, "runtime memory call returned error"), WORD(hipErrorRuntimeOther, "runtime call other than memory returned error"),
    WORD(hipErrorUnknown, "unknown error"),
};
static const Words *words_of(hipError_t error) {
    for (u64 n = 0; n < sizeof WORDS / sizeof *WORDS; n++)
        if (WORDS[n].error == error) return &WORDS[n];
    return 0;
}
API const char *hipGetErrorName(hipError_t error) {
    const Words *found = words_of(error);
    return found ? found->name : "hipErrorUnknown";
}
API const char *hipGetErrorString(hipError_t error) {
    const Words *found = words_of(error);
    return found ? found->text : "unknown error";
}
API hipError_t hipDrvGetErrorName(hipError_t error, const char **text) {
    CHECK(text && words_of(error), hipErrorInvalidValue);
    *text = hipGetErrorName(error);
    return hipSuccess;
}
API hipError_t hipDrvGetErrorString(hipError_t error, const char **text) {
    CHECK(text && words_of(error), hipErrorInvalidValue);
    *text = hipGetErrorString(error);
    return hipSuccess;
}
