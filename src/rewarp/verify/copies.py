"""Copies whose direction says one thing and whose pointers are another, and memory that is freed by another allocator's function.

"Calling hipMemcpy with dst and src pointers that do not match the direction of the copy results in undefined behavior."
https://rocm.docs.amd.com/projects/HIP/en/latest/reference/hip_runtime_api/modules/memory_management.html"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rewarp.waves.reading.brackets import closing
from rewarp.waves.reading.functions import Function, definitions

_DEVICE = re.compile(
    rb"\bhip(?:Malloc|MallocAsync|ExtMallocWithFlags)\s*\(\s*"
    rb"(?:\(\s*void\s*\*\s*\*\s*\)\s*|reinterpret_cast\s*<\s*void\s*\*\s*\*\s*>\s*\(\s*)?&\s*(\w+)\s*[,)]"
)
_HOST = re.compile(
    rb"(?<![\w.>])(\w+)\s*=\s*(?:\([\w\s:*]*\*\s*\)\s*)?(?:(?:std::)?(?:malloc|calloc|aligned_alloc)\s*\(|new\s+[\w:]+[\w:<>\s*]*\[)"
)
_NOWHERE = re.compile(rb"\s*(?:nullptr|NULL|0|\{\s*\})\s*[;,)]")
_GIVEN = re.compile(rb"(?<![\w.>=!<+*/-])(\w+)\s*=(?!=)")
_ADDRESS = re.compile(rb"&\s*(\w+)\b(?!\s*[\[.(-])")
_COPY = re.compile(rb"\bhipMemcpy(Async|WithStream)?\s*\(")
_KIND = re.compile(rb"hipMemcpy(Host|Device)To(Host|Device)")
_FREE = re.compile(rb"(?<![\w.>])(?:std::)?(hipFree|hipHostFree|free)\s*\(\s*(\w+)\s*\)|\bdelete\s*\[\s*\]\s*(\w+)\s*;")
_MEMSET = re.compile(rb"\bhipMemset(?:Async)?\s*\(")
_FREE_ADDRESS = re.compile(rb"\b(hipFree|hipHostFree|hipFreeAsync)\s*\(\s*&\s*(\w+)\s*[,)]")
_TO_SYMBOL = re.compile(rb"\b(hipMemcpyToSymbol(?:Async)?)\s*\(\s*(\w+)\s*,")
_USES = re.compile(rb"\bhip(?:Memcpy|Memset)(?:Async)?\s*\(")
_POINTER = re.compile(rb"(?:\(\s*(?:const\s+)?\w+\s*\*\s*\)\s*)?(?:(\w+)(?:\s*\+[^,]*)?|&\s*(\w+)\s*\[[^\]]*\])")
Origins = dict[bytes, str]
"""Which names hold memory of the device, and which of the host: those that hold one of them alone."""


def misdirected(code: bytes) -> Iterator[tuple[int, str]]:
    """Places in a source for HIP, whose comments and texts are blank."""
    if b"hipM" not in code and b"hipFree" not in code:
        return
    functions = [one for one in definitions(code) if not one.is_macro]
    everywhere = _origins(code)
    for function in functions:
        body = code[function.body.start : function.body.end]
        own = _origins(body)
        known = {
            name: place
            for name, place in everywhere.items()
            if name in body and not _declares(code, function, body, name)
        }
        for at, why in _places(body, {**known, **own}):
            yield function.body.start + at, why


def _origins(text: bytes) -> Origins:
    device = {match[1] for match in _DEVICE.finditer(text)}
    host = {match[1] for match in _HOST.finditer(text)}
    taken = {match.start(1) for match in _HOST.finditer(text)}
    allocated = {match.start(1) for match in _DEVICE.finditer(text)}
    other = {
        match[1]
        for match in _GIVEN.finditer(text)
        if match.start(1) not in taken and not _NOWHERE.match(text, match.end())
    }
    # Who gets the address may give it a value.
    other |= {
        match[1] for match in _ADDRESS.finditer(text) if match.start(1) not in allocated and match[1] not in device
    }
    other |= {
        match[1]
        for match in _ADDRESS.finditer(text)
        if match.start(1) not in allocated and _allocates(text, match.start())
    }
    found = dict.fromkeys(device - host - other, "device")
    return found | dict.fromkeys(host - device - other, "host")


def _allocates(text: bytes, at: int) -> bool:
    """Whether an address is handed to another function that allocates: hipHostMalloc(&p, ...)."""
    return re.search(rb"(?i)(?:alloc|register|pointer|open\w*)\w*\s*\([^;]*\Z", text[max(0, at - 120) : at]) is not None


def _declares(code: bytes, function: Function, body: bytes, name: bytes) -> bool:
    """Whether a function has a parameter or a variable of its own of this name."""
    head = code[function.head.start : function.body.start]
    if re.search(rb"\b" + name + rb"\b", head):
        return True
    kind = rb"(?:\b(?!return\b|delete\b|else\b)\w+|>)\s*(?:\*[\s*]*(?:const\s+|__restrict__\s+)?|\s+)"
    return re.search(kind + name + rb"\s*[=;,\[{]", body) is not None


def _places(body: bytes, origins: Origins) -> Iterator[tuple[int, str]]:
    for match in _COPY.finditer(body):
        arguments = _arguments(body, match.end() - 1)
        kind = _KIND.fullmatch(arguments[3]) if len(arguments) > 3 else None
        if kind is None:
            continue
        for argument, says, role in ((arguments[0], kind[2], "destination"), (arguments[1], kind[1], "source")):
            pointer = _POINTER.fullmatch(argument)
            name = (pointer[1] or pointer[2]) if pointer else b""
            origin = origins.get(name)
            if origin and origin != says.decode().lower():
                yield (
                    match.start(),
                    f"{arguments[3].decode()}, and the {role}, {name.decode()}, is memory of the {origin}",
                )
                break
    yield from _addresses(body, origins)
    yield from _too_small(body, origins)
    for match in _FREE.finditer(body):
        name = match[2] or match[3]
        origin = origins.get(name)
        how = (match[1] or b"delete[]").decode()
        if origin == "device" and how != "hipFree":
            yield match.start(), f"{name.decode()} comes from hipMalloc, and {how} frees it"
        elif origin == "host" and how in ("hipFree", "hipHostFree"):
            yield match.start(), f"{name.decode()} is memory of the host, and {how} frees it"
    for match in _MEMSET.finditer(body):
        arguments = _arguments(body, match.end() - 1)
        if len(arguments) > 2 and arguments[2] == b"0":
            yield match.start(), "this sets no byte: the count is the third argument, and is 0"


def _addresses(body: bytes, origins: Origins) -> Iterator[tuple[int, str]]:
    """Pointers where a function takes another thing: hipFree(&p), and hipMemcpyToSymbol(p, ...)."""
    for match in _FREE_ADDRESS.finditer(body):
        if match[2] in origins:
            yield (
                match.start(),
                f"{match[1].decode()} gets the address of {match[2].decode()}, and not the memory that it points to",
            )
    for match in _TO_SYMBOL.finditer(body):
        if match[2] in origins:
            yield (
                match.start(),
                f"{match[2].decode()} is allocated memory, and {match[1].decode()} takes a variable of the device",
            )


def _too_small(body: bytes, origins: Origins) -> Iterator[tuple[int, str]]:
    """``hipMalloc(&p, n)`` with ``hipMemcpy(p, ..., n * sizeof(float), ...)``."""
    sizes: dict[bytes, list[bytes]] = {}
    for match in _DEVICE.finditer(body):
        if match[0].lstrip().startswith(b"hipMalloc"):
            arguments = _arguments(body, body.index(b"(", match.start()))
            sizes.setdefault(match[1], []).append(_bare(arguments[1]) if len(arguments) > 1 else b"")
    for match in _USES.finditer(body):
        arguments = _arguments(body, match.end() - 1)
        for name in {argument for argument in arguments[:2] if origins.get(argument) == "device"}:
            allocated = sizes.get(name, [])
            if len(arguments) > 2 and len(allocated) == 1 and _is_times_size(_bare(arguments[2]), allocated[0]):
                yield (
                    match.start(),
                    f"{name.decode()} has {allocated[0].decode()} bytes, and {arguments[2].decode()} are used",
                )


def _bare(text: bytes) -> bytes:
    return re.sub(rb"\s+", b"", text)


def _is_times_size(used: bytes, allocated: bytes) -> bool:
    word = re.escape(allocated)
    return bool(allocated) and re.fullmatch(rb"%b\*sizeof\(\w+\)|sizeof\(\w+\)\*%b" % (word, word), used) is not None


def _arguments(text: bytes, opened: int) -> list[bytes]:
    end = closing(text, opened) - 1
    found, depth, begin = [], 0, opened + 1
    for at in range(opened + 1, end):
        byte = text[at : at + 1]
        depth += (byte in b"([{") - (byte in b")]}")
        if byte == b"," and not depth:
            found.append(text[begin:at].strip())
            begin = at + 1
    return [*found, text[begin:end].strip()]
