"""The torch of an interpreter, asked in a child process: rewarp itself never imports torch."""

from __future__ import annotations

import json
import re
from typing import Any

from rewarp.host.facts import ToolState, TorchBuild, TorchDevice, TorchState
from rewarp.host.host import Host

_MARK = "rewarp-torch:"
# The first lines keep the present folder out: a torch.py in a scanned repository must not run.
_PROBE = r"""
import sys
sys.path[:] = [entry for entry in sys.path if entry not in ("", ".")]
import importlib.util, json, os
answer = {"installed": False}

def spec(name):
    try:
        return importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None

def short(error):
    return (type(error).__name__ + ": " + str(error).strip().split("\n")[0])[:300]

def device(props):
    # A CUDA build has gcnArchName too, and fills it with the card's name.
    arch = getattr(props, "gcnArchName", None) if getattr(torch.version, "hip", None) else None
    if arch is None and getattr(props, "major", None) is not None:
        arch = "sm_%d%d" % (props.major, props.minor)
    return {
        "name": getattr(props, "name", ""),
        "memory": getattr(props, "total_memory", None),
        "units": getattr(props, "multi_processor_count", None),
        "arch": arch,
        "wave": getattr(props, "warp_size", None),
    }

if spec("torch") is not None:
    answer["installed"] = True
    try:
        import torch
        version = torch.version
        answer["version"] = str(torch.__version__)
        for name in ("cuda", "hip", "xpu"):
            answer[name] = getattr(version, name, None)
        if spec("habana_frameworks") is not None:
            try:
                from importlib.metadata import version as installed
                answer["hpu"] = installed("habana-torch-plugin")
            except Exception:
                answer["hpu"] = "unknown"
        try:
            if answer["cuda"] or answer["hip"]:
                if hasattr(torch.cuda, "get_arch_list"):
                    answer["archs"] = list(torch.cuda.get_arch_list())
                answer["devices"] = []
                for index in range(torch.cuda.device_count()):
                    answer["devices"].append(device(torch.cuda.get_device_properties(index)))
                if not answer["devices"] or not answer.get("archs"):
                    flags = getattr(getattr(torch, "_C", None), "_cuda_getArchFlags", None)
                    if flags:
                        answer["archs"] = (flags() or "").split()
            elif answer.get("hpu"):
                import habana_frameworks.torch.hpu as hpu
                count = hpu.device_count() if hpu.is_available() else 0
                answer["devices"] = [{"name": "HPU"} for _ in range(count)]
            elif answer["xpu"]:
                answer["devices"] = [
                    device(torch.xpu.get_device_properties(index)) for index in range(torch.xpu.device_count())
                ]
            else:
                answer["devices"] = []
        except BaseException as error:
            answer.pop("devices", None)
            answer["device_error"] = short(error)
    except BaseException as error:
        answer["error"] = short(error)
sys.stdout.write("\n" + "rewarp-torch:" + json.dumps(answer) + "\n")
sys.stdout.flush()
os._exit(0)
"""


def examine(host: Host) -> TorchBuild:
    ran = host.run_program([host.python, "-c", _PROBE], host.torch_timeout)
    line = next((line for line in reversed(ran.stdout.splitlines()) if line.startswith(_MARK)), None)
    if line is None:
        if ran.state is ToolState.TIMED_OUT:
            return TorchBuild(TorchState.TIMED_OUT, host.python, detail=ran.detail)
        return TorchBuild(TorchState.BROKEN, host.python, detail=ran.detail or "it ended without an answer")
    return parse(json.loads(line.removeprefix(_MARK)), host.python)


def parse(answer: dict[str, Any], python: str) -> TorchBuild:
    if not answer.get("installed"):
        return TorchBuild(TorchState.NOT_INSTALLED, python)
    if "error" in answer:
        return TorchBuild(TorchState.BROKEN, python, version=answer.get("version"), detail=answer["error"])
    devices, archs = answer.get("devices"), answer.get("archs")
    return TorchBuild(
        TorchState.WORKS,
        python,
        version=answer.get("version"),
        cuda=answer.get("cuda"),
        hip=answer.get("hip"),
        xpu=answer.get("xpu"),
        hpu=answer.get("hpu"),
        archs=tuple(archs) if archs else None,
        devices=None if devices is None else tuple(_device(device) for device in devices),
        device_error=answer.get("device_error", ""),
    )


def _device(data: dict[str, Any]) -> TorchDevice:
    arch = data.get("arch")
    return TorchDevice(
        name=str(data.get("name", "")),
        memory_bytes=data.get("memory"),
        compute_units=data.get("units"),
        # gfx942:sramecc+:xnack- names the features, too.
        arch=re.split(r":", arch)[0] if isinstance(arch, str) else None,
        wave_size=data.get("wave"),
    )
