"""What the profiler wrote down, read once: kernels, heavy operators and where they ran, attention."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import Any

HEAVY = frozenset(
    "aten::" + name
    for name in (
        "mm addmm bmm baddbmm addbmm mv addmv _scaled_mm _int_mm _grouped_mm _scaled_grouped_mm _addmm_activation "
        "mkldnn_convolution mkldnn_convolution_backward cudnn_convolution cudnn_convolution_transpose "
        "miopen_convolution miopen_convolution_transpose miopen_depthwise_convolution _slow_conv2d_forward "
        "_slow_conv2d_backward slow_conv3d_forward slow_conv_transpose2d convolution_backward thnn_conv2d "
        "_conv_depthwise2d conv_depthwise3d _flash_attention_forward _flash_attention_backward "
        "_efficient_attention_forward _efficient_attention_backward _cudnn_attention_forward "
        "_cudnn_attention_backward _scaled_dot_product_flash_attention_for_cpu "
        "_scaled_dot_product_flash_attention_for_cpu_backward _scaled_dot_product_cudnn_attention "
        "_scaled_dot_product_fused_attention_overrideable mkldnn_rnn_layer _cudnn_rnn miopen_rnn"
    ).split()
)
"""Operators that do a model's arithmetic, where they are carried out: nothing that only calls another of them."""
PROBE = "spin_kernel"
"""What ``torch.cuda._sleep`` runs. A profiler that sees nothing, not even it, is blind."""
_ATTENTION = "aten::_scaled_dot_product_"
_COMPILING = "(dynamo_timed)"
_NO_KERNEL = (
    "Memcpy",
    "Memset",
    "Context Sync",
    "Stream Sync",
    "Event Sync",
    "Stream Wait",
    "Activity Buffer",
    "Lazy ",
)
_NO_KERNEL_KINDS = frozenset("overhead gpu_memcpy gpu_memset gpu_user_annotation cuda_sync cuda_event".split())


class Tally:
    """Adds up over windows. A table's figures: count, nanoseconds together, nanoseconds of the first."""

    def __init__(self) -> None:
        self.kernels: dict[str, list[int]] = {}
        self.heavy: dict[str, list[int]] = {}
        """`cpu aten::mm`, `device aten::mm`."""
        self.attention: dict[str, int] = {}
        self.saw_probe = False

    def read(self, events: Any) -> None:
        on_cpu, served = [], set()
        for event in events:
            name = event.name()
            if event.device_type().name == "CPU":
                on_cpu.append((event, name))
            elif PROBE in name and not self.saw_probe:
                self.saw_probe = True
            elif _is_kernel(event, name):
                _add(self.kernels, name, event.duration_ns())
                served.add(event.linked_correlation_id())
        launching = _Starts(event for event, _ in on_cpu if event.correlation_id() in served)
        compiling = _Spans(event for event, name in on_cpu if name.endswith(_COMPILING))
        for event, name in on_cpu:
            if name.startswith(_ATTENTION) and not name.endswith("_backward"):
                self.attention[name] = self.attention.get(name, 0) + 1
            # While torch.compile traces, operators run on tensors without data.
            if name in HEAVY and not compiling.hold(event):
                where = "device" if launching.any_within(event) else "cpu"
                _add(self.heavy, where + " " + name, event.duration_ns())


class _Starts:
    """Operators that launched a kernel: when each began, by thread."""

    def __init__(self, events: Any) -> None:
        self._by_thread: dict[int, list[int]] = {}
        for event in events:
            self._by_thread.setdefault(event.start_thread_id(), []).append(event.start_ns())
        for starts in self._by_thread.values():
            starts.sort()

    def any_within(self, event: Any) -> bool:
        """Whether the operator, or one that it called, launched a kernel."""
        starts = self._by_thread.get(event.start_thread_id(), [])
        first = bisect_left(starts, event.start_ns())
        return first < len(starts) and starts[first] <= event.start_ns() + event.duration_ns()


class _Spans:
    """Stretches of time by thread, those that overlap made one."""

    def __init__(self, events: Any) -> None:
        self._by_thread: dict[int, list[tuple[int, int]]] = {}
        for event in sorted(events, key=lambda event: event.start_ns()):
            spans = self._by_thread.setdefault(event.start_thread_id(), [])
            start, end = event.start_ns(), event.start_ns() + event.duration_ns()
            if spans and start <= spans[-1][1]:
                spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
            else:
                spans.append((start, end))

    def hold(self, event: Any) -> bool:
        spans = self._by_thread.get(event.start_thread_id(), [])
        place = bisect_right(spans, (event.start_ns(), float("inf"))) - 1
        return place >= 0 and event.start_ns() < spans[place][1]


def _is_kernel(event: Any, name: str) -> bool:
    if name.startswith(_NO_KERNEL) or getattr(event, "is_user_annotation", bool)():
        return False
    return str(getattr(event, "activity_type", str)()) not in _NO_KERNEL_KINDS


def _add(table: dict[str, list[int]], name: str, nanoseconds: int) -> None:
    entry = table.setdefault(name, [0, 0, int(nanoseconds)])
    entry[0] += 1
    entry[1] += int(nanoseconds)
