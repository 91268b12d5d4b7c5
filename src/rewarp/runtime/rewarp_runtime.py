"""What a PyTorch project needs to run on ROCm as well as on CUDA. Importing it does nothing but import torch."""

from __future__ import annotations

import functools
import importlib
import re
import types
import warnings
from collections.abc import Callable
from typing import Any

import torch

IS_ROCM = torch.version.hip is not None
NVML_TEMPERATURE_GPU = 0
NVML_CLOCK_GRAPHICS = 0
NVML_CLOCK_SM = 1
NVML_CLOCK_MEM = 2
_ATTENTION_LIBRARIES = {
    "flash_attn": ("gfx90a", "gfx94", "gfx95", "gfx11", "gfx12"),
    "aiter": ("gfx94", "gfx95"),
}
_last_attention_tier: str | None = None


def is_rocm() -> bool:
    """Whether this torch is built for AMD GPUs."""
    return IS_ROCM


def gfx_arch(device: Any = None) -> str | None:
    """What kind of AMD GPU a device (default: the current one) is, ``gfx942`` say; None where it is none."""
    properties = _gpu_properties(device) if IS_ROCM else None
    return str(properties.gcnArchName).split(":")[0] if properties is not None else None


def _gpu_properties(device: Any) -> Any:
    if isinstance(device, (str, torch.device)):
        if torch.device(device).type != "cuda":
            return None
        device = torch.device(device).index
    if not torch.cuda.is_available():
        return None
    return torch.cuda.get_device_properties(torch.cuda.current_device() if device is None else device)


def wave_size(device: Any = None) -> int:
    """How many lanes run in step: 32 on NVIDIA and RDNA, 64 on CDNA."""
    properties = _gpu_properties(device)
    if properties is None:
        raise RuntimeError(f"{'no device' if device is None else device} is a GPU that torch can use here")
    if hasattr(properties, "warp_size"):
        return int(properties.warp_size)
    return 64 if (gfx_arch(device) or "").startswith("gfx9") else 32


def fp8_dtypes(device: Any = None) -> tuple[torch.dtype, torch.dtype]:
    """The e4m3 and e5m2 types that the matrix cores of a device compute in; ``torch.finfo`` tells their range."""
    if (gfx_arch(device) or "").startswith("gfx94"):
        return torch.float8_e4m3fnuz, torch.float8_e5m2fnuz
    return torch.float8_e4m3fn, torch.float8_e5m2


def attention(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    *,
    causal: bool = False,
    scale: float | None = None,
    dropout_p: float = 0.0,
    layout: str = "bshd",
    window: tuple[int, int] | None = None,
    enable_gqa: bool = True,
    tier: str | None = None,
) -> torch.Tensor:
    """softmax(q k^T * scale) v by an AMD library, else by torch's scaled_dot_product_attention, else written out.

    ``layout`` is "bshd" ([batch, sequence, heads, dim], as flash-attn) or "bhsd" (as torch). k and v may have fewer
    heads. A causal mask or a window (left, right; -1 is no end) lies against the last key, as in flash-attn, where
    torch's ``is_causal`` lies against the first; a query that sees no key gives zeros. Dropout is applied whenever it
    is above 0: pass 0.0 in evaluation. ``tier`` ("library", "sdpa", "eager") asks for one way and no other.
    """
    if layout not in ("bshd", "bhsd"):
        raise ValueError(f'layout is "bshd" or "bhsd", not {layout!r}')
    if layout == "bhsd":
        q, k, v = q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)
    if not enable_gqa and q.shape[2] != k.shape[2]:
        raise ValueError(f"q has {q.shape[2]} heads and k has {k.shape[2]}, with enable_gqa=False")
    out = _attend(q, k, v, dropout_p, scale, causal, window or (-1, -1), tier=tier)
    return out.transpose(1, 2) if layout == "bhsd" else out.contiguous()


def last_attention_tier() -> str | None:
    """What computed the last attention: "flash_attn", "aiter", "sdpa", "eager"; None before the first."""
    return _last_attention_tier


def _attend(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    dropout_p: float = 0.0,
    scale: float | None = None,
    causal: bool = False,
    window: tuple[int, int] = (-1, -1),
    softcap: float = 0.0,
    alibi_slopes: torch.Tensor | None = None,
    deterministic: bool = False,
    tier: str | None = None,
) -> torch.Tensor:
    """Attention of [batch, sequence, heads, dim] tensors, by the first tier that can."""
    global _last_attention_tier
    _check_attention(q, k, v)
    left, right = window[0], 0 if causal else window[1]
    library: Any = _attention_library() if IS_ROCM or tier == "library" else None
    plain = softcap <= 0 and min(q.shape[1], k.shape[1]) > 0
    able = ["eager"]
    # An additive bias would be rounded to the type of q, where the slopes want float32.
    if (
        plain
        and alibi_slopes is None
        and not deterministic
        and hasattr(torch.nn.functional, "scaled_dot_product_attention")
    ):
        able.insert(0, "sdpa")
    # The Composable Kernel build of flash-attn takes a softcap and ignores it.
    if plain and library is not None and _library_takes(library, q, k, v, tier):
        able.insert(0, "library")
    if tier is not None and tier not in able:
        raise ValueError(f"attention tier {tier!r} cannot do this here; able are {able}")
    tier = tier or able[0]
    _last_attention_tier = library.__name__ if tier == "library" else tier
    if tier == "library":
        options = _library_options(library, (q, k, v), deterministic)
        return _first(
            library.flash_attn_func(q, k, v, dropout_p, scale, causal, window, alibi_slopes=alibi_slopes, **options)
        )
    groups = q.shape[2] // k.shape[2]
    q, k, v = q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)
    if groups > 1:
        k, v = k.repeat_interleave(groups, 1), v.repeat_interleave(groups, 1)
    seen = _keys_seen(q.shape[2], k.shape[2], left, right, q.device)
    if tier == "sdpa":
        return _sdpa(q, k, v, dropout_p, scale, seen, causal and left < 0).transpose(1, 2)
    return _eager_attention(q, k, v, dropout_p, scale, seen, softcap, alibi_slopes).transpose(1, 2)


def _check_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> None:
    if not q.dim() == k.dim() == v.dim() == 4:
        raise ValueError(f"attention takes tensors of four dimensions, not {q.dim()}, {k.dim()} and {v.dim()}")
    if k.shape[:3] != v.shape[:3] or k.shape[0] != q.shape[0] or k.shape[3] != q.shape[3]:
        raise ValueError(f"shapes {tuple(q.shape)}, {tuple(k.shape)}, {tuple(v.shape)} do not fit together")
    if k.shape[2] == 0 or q.shape[2] % k.shape[2]:
        raise ValueError(f"{q.shape[2]} heads of q cannot share {k.shape[2]} heads of k and v")


def _keys_seen(queries: int, keys: int, left: int, right: int, device: torch.device) -> torch.Tensor | None:
    """Which key each query sees; None where every query sees all of them."""
    if left < 0 and (right < 0 or queries == 1):
        return None
    ahead = _key_offsets(queries, keys, device)
    seen = ahead <= right if right >= 0 else torch.ones_like(ahead, dtype=torch.bool)
    return seen & (ahead >= -left) if left >= 0 else seen


def _key_offsets(queries: int, keys: int, device: torch.device) -> torch.Tensor:
    """How far each key is ahead of each query; the last query stands at the last key."""
    return torch.arange(keys, device=device) - torch.arange(keys - queries, keys, device=device)[:, None]


def _sdpa(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    dropout_p: float,
    scale: float | None,
    seen: torch.Tensor | None,
    causal: bool,
) -> torch.Tensor:
    options: dict[str, Any] = {} if scale is None else {"scale": scale}
    if seen is None or (causal and q.shape[2] == k.shape[2]):
        # Only where they are as many does it not matter against which end torch lays the mask.
        return torch.nn.functional.scaled_dot_product_attention(
            q, k, v, dropout_p=dropout_p, is_causal=seen is not None, **options
        )
    # A row without a key is NaN, and so is its gradient: let it see everything and drop what it gives.
    blind = ~seen.any(-1, keepdim=True)
    out = torch.nn.functional.scaled_dot_product_attention(
        q, k, v, attn_mask=seen | blind, dropout_p=dropout_p, **options
    )
    return out.masked_fill(blind, 0)


def _eager_attention(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    dropout_p: float,
    scale: float | None,
    seen: torch.Tensor | None,
    softcap: float,
    alibi_slopes: torch.Tensor | None,
) -> torch.Tensor:
    precise = torch.promote_types(q.dtype, torch.float32)
    scores = q.to(precise) @ k.to(precise).transpose(-1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale)
    if softcap > 0:
        scores = softcap * torch.tanh(scores / softcap)
    if alibi_slopes is not None:
        far = _key_offsets(q.shape[2], k.shape[2], q.device).abs()
        scores = scores - alibi_slopes.to(precise)[..., None, None] * far
    blind = None if seen is None else ~seen.any(-1, keepdim=True)
    if seen is not None and blind is not None:
        scores = scores.masked_fill(~(seen | blind), float("-inf"))
    weights = scores.softmax(-1)
    if dropout_p > 0:
        weights = torch.nn.functional.dropout(weights, dropout_p)
    out = (weights @ v.to(precise)).to(q.dtype)
    return out if blind is None else out.masked_fill(blind, 0)


@functools.lru_cache
def _attention_library() -> Any:
    """The first library with flash-attn's interface that can be imported; None without one."""
    for name in _ATTENTION_LIBRARIES:
        try:
            module = importlib.import_module(name)
        except Exception as error:  # a build for another platform fails in many ways
            if not isinstance(error, ModuleNotFoundError) or error.name != name:
                warnings.warn(f"{name} is installed and cannot be imported: {error}", stacklevel=2)
            continue
        # flash-attn is at home on ROCm since 2.6; an older fork lays masks against the first key.
        if hasattr(module, "flash_attn_func") and (name != "flash_attn" or _version(module.__version__) >= (2, 6)):
            return module
    return None


def _library_takes(library: Any, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, tier: str | None) -> bool:
    if q.dtype not in (torch.float16, torch.bfloat16) or not q.dtype == k.dtype == v.dtype:
        return False
    if q.shape[-1] != v.shape[-1] or q.shape[-1] > 256:
        return False
    if tier == "library":
        return True  # who asks for it by name knows what was installed
    return (gfx_arch(q.device) or "").startswith(_ATTENTION_LIBRARIES[library.__name__])


def _library_options(library: Any, inputs: tuple[torch.Tensor, ...], deterministic: bool) -> dict[str, Any]:
    if library.__name__ == "flash_attn":
        return {"deterministic": deterministic}
    # aiter's backward pass reads what it keeps for the caller only where that is asked for.
    trains = torch.is_grad_enabled() and any(x.requires_grad for x in inputs)
    return {"deterministic": deterministic, "return_lse": trains}


def _first(result: Any) -> Any:
    return result[0] if isinstance(result, (tuple, list)) else result


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", text)[:2])


def flash_attn_func(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    dropout_p: float = 0.0,
    softmax_scale: float | None = None,
    causal: bool = False,
    window_size: tuple[int, int] = (-1, -1),
    softcap: float = 0.0,
    alibi_slopes: torch.Tensor | None = None,
    deterministic: bool = False,
    return_attn_probs: bool = False,
) -> torch.Tensor:
    """The function of flash-attn 2, by whatever this machine has."""
    _no_attention_probabilities(return_attn_probs)
    options = (dropout_p, softmax_scale, causal, window_size, softcap, alibi_slopes, deterministic)
    return _attend(q, k, v, *options).contiguous()


def flash_attn_kvpacked_func(q: torch.Tensor, kv: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
    """The function of flash-attn 2; kv is [batch, sequence, 2, heads, dim]."""
    return flash_attn_func(q, kv[:, :, 0], kv[:, :, 1], *args, **kwargs)


def flash_attn_qkvpacked_func(qkv: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
    """The function of flash-attn 2; qkv is [batch, sequence, 3, heads, dim]."""
    return flash_attn_func(qkv[:, :, 0], qkv[:, :, 1], qkv[:, :, 2], *args, **kwargs)


def flash_attn_varlen_func(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    cu_seqlens_q: torch.Tensor,
    cu_seqlens_k: torch.Tensor,
    max_seqlen_q: int,
    max_seqlen_k: int,
    dropout_p: float = 0.0,
    softmax_scale: float | None = None,
    causal: bool = False,
    window_size: tuple[int, int] = (-1, -1),
    softcap: float = 0.0,
    alibi_slopes: torch.Tensor | None = None,
    deterministic: bool = False,
    return_attn_probs: bool = False,
    block_table: torch.Tensor | None = None,
) -> torch.Tensor:
    """The function of flash-attn 2. Without a library each sequence is a call of its own, after a wait for the GPU."""
    global _last_attention_tier
    _no_attention_probabilities(return_attn_probs)
    if block_table is not None:
        raise NotImplementedError("flash_attn_varlen_func: block_table (a paged KV cache) is not supported here")
    library = _attention_library() if IS_ROCM and softcap <= 0 else None
    if library is not None and _library_takes(library, q, k, v, None):
        _last_attention_tier, options = library.__name__, _library_options(library, (q, k, v), deterministic)
        lengths = (cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k)
        return _first(
            library.flash_attn_varlen_func(
                q, k, v, *lengths, dropout_p, softmax_scale, causal, window_size, alibi_slopes=alibi_slopes, **options
            )
        )
    out = q.new_zeros((*q.shape[:-1], v.shape[-1]))
    ends_q, ends_k = cu_seqlens_q.tolist(), cu_seqlens_k.tolist()
    for i in range(len(ends_q) - 1):
        own_q, own_k = slice(ends_q[i], ends_q[i + 1]), slice(ends_k[i], ends_k[i + 1])
        slopes = alibi_slopes[i] if alibi_slopes is not None and alibi_slopes.dim() == 2 else alibi_slopes
        arguments = (dropout_p, softmax_scale, causal, window_size, softcap, slopes, deterministic)
        out[own_q] = _attend(q[None, own_q], k[None, own_k], v[None, own_k], *arguments)[0]
    return out


def flash_attn_varlen_kvpacked_func(q: torch.Tensor, kv: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
    """The function of flash-attn 2; kv is [tokens, 2, heads, dim]."""
    return flash_attn_varlen_func(q, kv[:, 0], kv[:, 1], *args, **kwargs)


def flash_attn_varlen_qkvpacked_func(
    qkv: torch.Tensor, cu_seqlens: torch.Tensor, max_seqlen: int, *args: Any, **kwargs: Any
) -> torch.Tensor:
    """The function of flash-attn 2; qkv is [tokens, 3, heads, dim]."""
    lengths = (cu_seqlens, cu_seqlens, max_seqlen, max_seqlen)
    return flash_attn_varlen_func(qkv[:, 0], qkv[:, 1], qkv[:, 2], *lengths, *args, **kwargs)


def _no_attention_probabilities(asked_for: bool) -> None:
    if asked_for:
        raise NotImplementedError("return_attn_probs=True: only flash-attn itself gives the probabilities")


def safe_compile(function: Any = None, **options: Any) -> Any:
    """``torch.compile`` with the same arguments. On ROCm, modes that record graphs are replaced where torch is before
    2.11 or ROCm before 7.2, and a graph that inductor cannot compile runs as it is, with a warning."""
    if function is None:
        return functools.partial(safe_compile, **options)
    if IS_ROCM:
        if _version(torch.__version__) < (2, 11) or _version(torch.version.hip or "0") < (7, 2):
            without_graphs = {"reduce-overhead": "default", "max-autotune": "max-autotune-no-cudagraphs"}
            mode = options.get("mode")
            options["mode"] = without_graphs.get(mode, mode) if mode else mode
        if options.get("backend", "inductor") == "inductor":
            options["backend"] = _inductor_or_as_it_is
    return torch.compile(function, **options)


def _inductor_or_as_it_is(graph: Any, inputs: Any, mode: str = "default", options: Any = None) -> Any:
    try:
        from torch._inductor import list_mode_options
        from torch._inductor.compile_fx import compile_fx

        return compile_fx(graph, inputs, config_patches={**list_mode_options(mode), **(options or {})})
    except Exception as error:  # whatever goes wrong while compiling, the graph itself can run
        warnings.warn(f"a graph runs uncompiled: {type(error).__name__}: {error}", stacklevel=2)
        return graph.forward


def graph_capture(function: Callable[..., Any], *inputs: torch.Tensor, warmup: int = 3) -> Callable[..., Any]:
    """Record ``function(*inputs)`` as a CUDA or HIP graph. What is returned takes tensors of the same shapes and types, replays
    the graph on them and returns the same output tensors every time: copy what must outlive the next call."""
    if not torch.cuda.is_available():
        raise RuntimeError("graphs need a GPU")
    static = [tensor.detach().clone() for tensor in inputs]
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(warmup):
            function(*static)
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    # In global mode HIP refuses what other threads do during the capture, such as the watchdog of a process group.
    with torch.cuda.graph(graph, capture_error_mode="thread_local" if IS_ROCM else "global"):
        outputs = function(*static)

    def replay(*tensors: torch.Tensor) -> Any:
        if [(x.shape, x.dtype) for x in tensors] != [(x.shape, x.dtype) for x in static]:
            raise ValueError(f"the graph was recorded for {[(tuple(x.shape), x.dtype) for x in static]}")
        for old, new in zip(static, tensors):
            old.copy_(new)
        graph.replay()
        return outputs

    return replay


def synchronize_stream(stream: Any = None) -> None:
    """Wait for one stream (default: the current one), and not for the whole device."""
    if stream is not None or torch.cuda.is_available():
        (torch.cuda.current_stream() if stream is None else stream).synchronize()


def device_telemetry(device: Any = None) -> dict[str, Any]:
    """Sensors of a GPU: ``temperature_c``, ``utilization_percent``, ``power_w``, ``clock_mhz``, ``memory_used_bytes``,
    ``memory_total_bytes``, each None where it cannot be read; ``reasons`` says why, ``source`` who was asked."""
    library = "amdsmi" if IS_ROCM else "pynvml"
    read: dict[str, Callable[[], float]] = {}
    found: dict[str, Any] = {"source": library, "reasons": {}}
    try:
        properties = _gpu_properties(device)
        if properties is None:
            raise RuntimeError("not a GPU that torch can use here")
        # Tools count devices in another order than torch, and see hidden ones: only the bus address names one card.
        bus = f"{properties.pci_domain_id:04x}:{properties.pci_bus_id:02x}:{properties.pci_device_id:02x}.0"
        module = importlib.import_module(library)
        read = _amd_sensors(module, bus) if IS_ROCM else _nvidia_sensors(module, bus)
    except Exception as error:
        found["source"], found["reasons"]["all"] = None, f"{type(error).__name__}: {error}"
    names = ("temperature_c", "utilization_percent", "power_w", "clock_mhz", "memory_used_bytes", "memory_total_bytes")
    for name in names:
        found[name] = None
        if name in read:
            try:
                found[name] = read[name]()
            except Exception as error:  # a card without this sensor
                found["reasons"][name] = f"{type(error).__name__}: {error}"
    return found


def _amd_sensors(smi: Any, bus: str) -> dict[str, Callable[[], float]]:
    smi.amdsmi_init()
    card = smi.amdsmi_get_processor_handle_from_bdf(bus)
    hot, now, core = smi.AmdSmiTemperatureType.JUNCTION, smi.AmdSmiTemperatureMetric.CURRENT, smi.AmdSmiClkType.GFX
    return {
        "temperature_c": lambda: _number(smi.amdsmi_get_temp_metric(card, hot, now)),
        "utilization_percent": lambda: _number(smi.amdsmi_get_gpu_activity(card), "gfx_activity"),
        "power_w": lambda: _socket_power(smi, card),
        "clock_mhz": lambda: _number(smi.amdsmi_get_clock_info(card, core), "clk", "cur_clk"),
        "memory_used_bytes": lambda: _number(smi.amdsmi_get_gpu_vram_usage(card), "vram_used") * 2**20,
        "memory_total_bytes": lambda: _number(smi.amdsmi_get_gpu_vram_usage(card), "vram_total") * 2**20,
    }


def _socket_power(smi: Any, card: Any) -> float:
    return _number(smi.amdsmi_get_power_info(card), "current_socket_power", "average_socket_power")


def _number(value: Any, *keys: str) -> float:
    """The first value that is a number: which key has it depends on the card, the other then says "N/A"."""
    values = [value.get(key) for key in keys] if keys else [value]
    for one in values:
        if isinstance(one, (int, float)):
            return one
    raise ValueError(f"amdsmi gives {values}")


def _numbers(values: Any, *keys: str) -> list[float]:
    return [_number(values, key) for key in keys]


def _nvidia_sensors(nvml: Any, bus: str) -> dict[str, Callable[[], float]]:
    nvml.nvmlInit()
    card = nvml.nvmlDeviceGetHandleByPciBusId(bus)
    return {
        "temperature_c": lambda: nvml.nvmlDeviceGetTemperature(card, nvml.NVML_TEMPERATURE_GPU),
        "utilization_percent": lambda: nvml.nvmlDeviceGetUtilizationRates(card).gpu,
        "power_w": lambda: nvml.nvmlDeviceGetPowerUsage(card) / 1000,
        "clock_mhz": lambda: nvml.nvmlDeviceGetClockInfo(card, nvml.NVML_CLOCK_SM),
        "memory_used_bytes": lambda: nvml.nvmlDeviceGetMemoryInfo(card).used,
        "memory_total_bytes": lambda: nvml.nvmlDeviceGetMemoryInfo(card).total,
    }


class NVMLError(Exception):
    """amdsmi is not there, or could not answer."""


def _asked_of_amdsmi(question: Callable[[Any], Any]) -> Any:
    """What is asked of pynvml elsewhere. Both count the cards of the machine, whichever of them a process may use."""
    try:
        return question(importlib.import_module("amdsmi"))
    except Exception as error:  # whatever the library raises, the code that calls expects NVMLError
        raise NVMLError(f"{type(error).__name__}: {error}") from error


def nvmlInit() -> None:
    _asked_of_amdsmi(lambda smi: smi.amdsmi_init())


def nvmlShutdown() -> None:
    _asked_of_amdsmi(lambda smi: smi.amdsmi_shut_down())


def nvmlDeviceGetCount() -> Any:
    return _asked_of_amdsmi(lambda smi: len(smi.amdsmi_get_processor_handles()))


def nvmlDeviceGetHandleByIndex(index: int) -> Any:
    return _asked_of_amdsmi(lambda smi: dict(enumerate(smi.amdsmi_get_processor_handles()))[int(index)])


def nvmlDeviceGetName(card: Any) -> Any:
    return _asked_of_amdsmi(lambda smi: str(smi.amdsmi_get_gpu_asic_info(card)["market_name"]))


def nvmlDeviceGetUUID(card: Any) -> Any:
    return _asked_of_amdsmi(lambda smi: str(smi.amdsmi_get_gpu_device_uuid(card)))


def nvmlSystemGetDriverVersion() -> Any:
    card = nvmlDeviceGetHandleByIndex(0)
    return _asked_of_amdsmi(lambda smi: str(smi.amdsmi_get_gpu_driver_info(card)["driver_version"]))


def nvmlDeviceGetMemoryInfo(card: Any) -> Any:
    usage = _asked_of_amdsmi(lambda smi: _numbers(smi.amdsmi_get_gpu_vram_usage(card), "vram_total", "vram_used"))
    total, used = (int(figure * 2**20) for figure in usage)
    return types.SimpleNamespace(total=total, used=used, free=total - used)


def nvmlDeviceGetUtilizationRates(card: Any) -> Any:
    gpu, memory = _asked_of_amdsmi(
        lambda smi: _numbers(smi.amdsmi_get_gpu_activity(card), "gfx_activity", "umc_activity")
    )
    return types.SimpleNamespace(gpu=int(gpu), memory=int(memory))


def nvmlDeviceGetPowerUsage(card: Any) -> Any:
    """In milliwatts."""
    return _asked_of_amdsmi(lambda smi: int(_socket_power(smi, card) * 1000))


def nvmlDeviceGetTemperature(card: Any, sensor: int = 0) -> Any:
    return _asked_of_amdsmi(
        lambda smi: int(
            smi.amdsmi_get_temp_metric(card, smi.AmdSmiTemperatureType.JUNCTION, smi.AmdSmiTemperatureMetric.CURRENT)
        )
    )


def nvmlDeviceGetClockInfo(card: Any, kind: int) -> Any:
    """In MHz."""
    name = "MEM" if kind == NVML_CLOCK_MEM else "GFX"
    return _asked_of_amdsmi(
        lambda smi: int(_number(smi.amdsmi_get_clock_info(card, getattr(smi.AmdSmiClkType, name)), "clk", "cur_clk"))
    )
