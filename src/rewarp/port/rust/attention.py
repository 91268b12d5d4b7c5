"""Crates that call FlashAttention's library as a C function. Its kernels are CUTLASS's and have no way to AMD; the function has:
here it is Rust with the same parameters, over a kernel of rewarp's own."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from pathlib import Path

from rewarp import runtime
from rewarp.port.rust.manifests import Crate
from rewarp.port.rust.renaming import Renaming
from rewarp.port.tree import Tree

KERNEL = "hip/attention.hip"
LIMITS = (
    "Forward only; float16 and bfloat16, heads of up to 256 values, masks, windows, ALiBi, capped scores, packed sequences. "
    "Pages of keys, and what other kernels of the library do, are errors that say so. It uses no matrix units, and its speed "
    "was not measured. Where a feature asks for CUDA and for this crate (flash-attn), one beside it asks for ROCm "
    "(flash-attn-rocm); without it models take their unfused path."
)
WHY = "Attention for AMD, of rewarp's own writing: FlashAttention's kernels are CUTLASS's."
_DECLARED = re.compile(rb'extern\s+"C"\s*\{\s*((?:[^{}]|//[^\n]*)*)\}')
_FUNCTION = re.compile(r"pub(?:\(crate\))?\s+fn\s+(\w+)\s*\(([^()]*)\)\s*;\s*$", re.S)
_PARAMETER = re.compile(r"(\w+)\s*:\s*([^,]+?)\s*(?:,|$)")
_COMMENT = re.compile(r"//[^\n]*")
_BINDING = re.compile(rb"\b((?:\w+::)*cudarc)::driver\b")
_PASSED_BINDING = re.compile(rb"^pub use cudarc;", re.M)
_PASSED = re.compile(r"^pub use (?!cudarc\b)(\w+)(?: as (\w+))?;", re.M)
_NEEDED = frozenset(
    "q_ptr k_ptr v_ptr o_ptr softmax_lse_ptr q_batch_stride k_batch_stride v_batch_stride o_batch_stride q_row_stride "
    "k_row_stride v_row_stride o_row_stride q_head_stride k_head_stride v_head_stride o_head_stride b h h_k d softmax_scale "
    "seqlen_q seqlen_k is_bf16 is_causal window_size_left window_size_right".split()
)
_WITHOUT = {
    "alibi_slopes_ptr": "*const c_void = std::ptr::null()",
    "alibi_slopes_batch_stride": "u32 = 0",
    "cu_seqlens_q_ptr": "*const i32 = std::ptr::null()",
    "cu_seqlens_k_ptr": "*const i32 = std::ptr::null()",
    "unpadded_lse": "c_int = 0",
    "total_q": "u32 = 0",
    "softcap": "f32 = 0.",
    "block_table_ptr": "*const i32 = std::ptr::null()",
    "mm_prefix_ranges_ptr": "*const i32 = std::ptr::null()",
    "stream_ptr": "*mut c_void = std::ptr::null_mut()",
}
"""What an older library has no parameter for."""
_NO_MATTER = frozenset(
    "d_rounded seqlen_q_rounded seqlen_k_rounded total_k use_gqa_packing tile_count_semaphore_ptr block_table_batch_stride "
    "page_block_size mm_prefix_range_batch_stride max_mm_prefix_ranges".split()
)
"""How NVIDIA's kernels go about it, and what goes with parameters that have to be null."""


@dataclass(frozen=True)
class Interface:
    """FlashAttention's function as a crate declares it."""

    module: str
    path: str
    function: str
    parameters: tuple[tuple[str, str], ...]
    binding: str
    """How the crate reaches cudarc."""
    kernels: tuple[str, str] | None = None
    """The crate whose kernels for AMD this one's belongs to, and how it is reached; None: it stands in the crate itself."""

    @property
    def call(self) -> str:
        return f"{self.module}::{self.function}"

    def twin(self, renaming: Renaming) -> tuple[str, bytes]:
        """The module for AMD: its path, and the function with what it is made of."""
        text = (_folder() / "attention.rs").read_text()
        named = {name for name, _ in self.parameters}
        missing = [f"    let {name}: {value};\n" for name, value in _WITHOUT.items() if name not in named]
        parts = {
            "PARAMETERS": "\n" + "".join(f"    {name}: {kind},\n" for name, kind in self.parameters),
            "MISSING": "".join(missing),
            "BINDING": renaming.twin(self.binding.encode()).decode(),
            "KERNELS": renaming.twin(self.kernels[1].encode()).decode() if self.kernels else "crate::hsaco",
            "HOLDER": f"{KERNEL} of {self.kernels[0]}" if self.kernels else KERNEL,
            "FUNCTION": self.function,
        }
        for name, value in parts.items():
            text = text.replace(name, value)
        return posixpath.join(posixpath.dirname(self.path), f"rocm_{self.module}.rs"), text.encode()


def kernel() -> bytes:
    return (_folder() / "attention.hip").read_bytes()


def holder(tree: Tree, crates: dict[str, Crate], name: str, interface: Interface) -> tuple[str, str] | None:
    """The kernel crate that is passed on beside cudarc where a crate gets that from, and how it is reached there."""
    place = interface.binding.rpartition("::")[0]
    key = place.partition("::")[0]
    from_crate = next((crates.get(own) for other, own in crates[name].dependencies.items() if _same(other, key)), None)
    if from_crate is None:
        return None
    prefix = posixpath.join(from_crate.folder, "src") + "/"
    for path in tree.paths():
        data = (tree.read(path) or b"") if path.startswith(prefix) and path.endswith(".rs") else b""
        if _PASSED_BINDING.search(data):
            for found in _PASSED.finditer(data.decode("utf-8", "replace")):
                own = next((own for other, own in from_crate.dependencies.items() if _same(other, found[1])), None)
                if own in crates and own is not None:
                    return own, f"{place}::{found[2] or found[1]}"
    return None


def _same(key: str, name: str) -> bool:
    return key.replace("-", "_") == name


def interfaces(tree: Tree, crates: dict[str, Crate]) -> dict[str, Interface]:
    """The crates that declare the function in a module of its own, by their names."""
    found: dict[str, Interface] = {}
    for crate in crates.values():
        folder = posixpath.join(crate.folder, "src")
        binding = _BINDING.search(tree.read(posixpath.join(folder, "lib.rs")) or b"")
        for path in tree.paths():
            if binding and posixpath.dirname(path) == folder and path.endswith(".rs"):
                declared = _declared(path, tree.read(path) or b"", binding[1].decode())
                found |= {crate.name: declared} if declared else {}
    return found


def _declared(path: str, data: bytes, binding: str) -> Interface | None:
    blocks = _DECLARED.findall(data)
    function = (
        _FUNCTION.match(_COMMENT.sub("", blocks[0].decode("utf-8", "replace")).strip()) if len(blocks) == 1 else None
    )
    if function is None:
        return None
    parameters = tuple(_PARAMETER.findall(function[2]))
    names = {name for name, _ in parameters}
    if not names >= _NEEDED or names - _NEEDED - _NO_MATTER - set(_WITHOUT):
        return None
    module = posixpath.basename(path).removesuffix(".rs")
    return Interface(module, path, function[1], parameters, binding)


def _folder() -> Path:
    return Path(runtime.__file__).parent / "attention"
