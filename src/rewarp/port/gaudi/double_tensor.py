"""Tensors of the test double: each holds a CPU tensor, and every operation is done on that."""

from __future__ import annotations

import importlib
from typing import Any

_MAY_MIX = ("copy_", "_to_copy", "_copy_from")
"""Operations that carry data from one device to another."""
_KEPT: list[Any] = []
"""Torch forgets what is registered when its library is collected."""


def register_tensors(torch: Any) -> None:
    """Teach torch to make tensors on "hpu"."""
    tree = importlib.import_module("torch.utils._pytree")
    hpu = torch.device("hpu", 0)

    class HpuTensor(torch.Tensor):  # type: ignore[misc]
        @staticmethod
        def __new__(cls: Any, raw: Any) -> Any:
            made = torch.Tensor._make_wrapper_subclass(
                cls,
                raw.size(),
                strides=raw.stride(),
                storage_offset=raw.storage_offset(),
                dtype=raw.dtype,
                device=hpu,
                requires_grad=raw.requires_grad,
            )
            made.raw = raw
            return made

        def __repr__(self, **kwargs: Any) -> str:
            return f"{str(self.raw.detach())[:-1]}, device='hpu:0')"

        def __reduce_ex__(self, protocol: Any) -> Any:
            rebuild = torch._utils._rebuild_device_tensor_from_cpu_tensor
            return rebuild, (self.detach().cpu(), self.dtype, "hpu", self.requires_grad)

        def untyped_storage(self) -> Any:
            return self.raw.untyped_storage()

        def tolist(self) -> Any:
            return self.cpu().tolist()

        @classmethod
        def __torch_dispatch__(cls, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return run(function, args, kwargs or {})

    def run(function: Any, args: Any, kwargs: Any) -> Any:
        leaves = [leaf for leaf in tree.tree_leaves((args, kwargs)) if isinstance(leaf, torch.Tensor)]
        owned = {id(leaf.raw): leaf for leaf in leaves if isinstance(leaf, HpuTensor)}
        if function.overloadpacket.__name__ not in _MAY_MIX:
            _refuse_mixture(leaves, HpuTensor)
        device = kwargs.get("device")
        on_hpu = bool(owned) if device is None else torch.device(device).type == "hpu"
        plain_args, plain = tree.tree_map(
            lambda leaf: leaf.raw if isinstance(leaf, HpuTensor) else leaf, (args, kwargs)
        )
        if device is not None and on_hpu:
            plain = {**plain, "device": "cpu"}
        given = function(*plain_args, **plain)

        def wrapped(leaf: Any) -> Any:
            if not isinstance(leaf, torch.Tensor) or not on_hpu:
                return leaf
            # What changed in place is still the same tensor.
            return owned.get(id(leaf)) if id(leaf) in owned else HpuTensor(leaf)

        return tree.tree_map(wrapped, given)

    library = torch.library.Library("aten", "IMPL")
    every = torch.library.Library("_", "IMPL")
    every.fallback(torch.library.fallthrough_kernel, "AutocastPrivateUse1")
    _KEPT.extend([library, every])
    for name in ("empty.memory_format", "empty_strided"):
        packet, _, overload = name.partition(".")
        function = getattr(getattr(torch.ops.aten, packet), overload or "default")

        def make(*args: Any, _function: Any = function, **kwargs: Any) -> Any:
            return run(_function, args, {**kwargs, "device": hpu, "pin_memory": False})

        library.impl(name, make, "PrivateUse1")

    def copied(source: Any, target: Any, non_blocking: bool = False) -> Any:
        target.raw.copy_(source.raw if isinstance(source, HpuTensor) else source)
        return target

    library.impl("_copy_from", copied, "PrivateUse1")


def _refuse_mixture(tensors: list[Any], own: type) -> None:
    """A tensor with one number may come from the CPU; others may not, as everywhere in torch."""
    if any(isinstance(tensor, own) for tensor in tensors):
        for tensor in tensors:
            if not isinstance(tensor, own) and tensor.dim():
                raise RuntimeError(
                    f"Expected all tensors to be on the same device, but found at least two devices, hpu:0 and {tensor.device}!"
                )
