"""What GPU is this, and what can it do?"""

import ctypes
import subprocess

import torch

# Dense bf16 TFLOP/s by product name.
PEAK_TFLOPS = {"A100": 312.0, "L40S": 362.0, "H100": 989.0, "H200": 989.0, "GB200": 2500.0, "B200": 2250.0}


def require_cuda():
    """Stops with a plain message where training cannot work."""
    if "+cu" not in torch.__version__ and not torch.backends.cuda.is_built():
        raise SystemExit(f"torch {torch.__version__} is a CPU build; install one from whl/cu130")
    if int(torch.version.cuda.split(".")[0]) < 12:
        raise SystemExit(f"CUDA 12 or later is needed, torch was built with {torch.version.cuda}")
    if not torch.cuda.is_available():
        raise SystemExit("no CUDA device")
    if torch.cuda.get_device_capability() < (8, 0):
        raise SystemExit("an Ampere GPU or later is needed for bf16")


def peak_tflops():
    name = torch.cuda.get_device_name()
    for product, tflops in PEAK_TFLOPS.items():
        if product in name:
            return tflops
    raise KeyError(f"no peak rate known for {name}")


def has_fp8():
    return torch.cuda.get_device_capability() >= (8, 9)


def is_big_gpu():
    """Enough SMs for the persistent schedule."""
    return torch.cuda.get_device_properties(0).multi_processor_count >= 108


def built_for_this_gpu():
    major, minor = torch.cuda.get_device_capability()
    newest = max(int(arch.split("_")[1].rstrip("af")) for arch in torch.cuda.get_arch_list())
    return f"sm_{major}{minor}" in torch.cuda.get_arch_list() or newest >= major * 10 + minor


def driver():
    """The driver release, and the newest CUDA version it serves."""
    release = subprocess.check_output(
        ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"], text=True
    ).split()[0]
    version = ctypes.c_int()
    ctypes.CDLL("libcuda.so.1").cuDriverGetVersion(ctypes.byref(version))
    return release, f"{version.value // 1000}.{version.value % 1000 // 10}"
