import ctypes


def load():
    for name in ("libcudart.so", "libamdhip64.so"):
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


lib = load()
lib.cudaMemcpy(dst, src, size, 4)
if hasattr(lib, "cudaHostRegister"):
    lib.cudaHostRegister(ptr, size, 0)
# output
14 crash: lib.cudaMemcpy
15 crash: hasattr(lib, "cudaHostRegister")
16 crash: lib.cudaHostRegister
