"""nvcc's options in CMake commands, as a HIP build gives them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rewarp.fixes.cmake import CMakePlace, Instead
from rewarp.fixes.options import has_nvcc_words, hip_words
from rewarp.lang.cmake import CMakeCommand

_OPTIONS = frozenset({"add_compile_options", "target_compile_options", "add_definitions", "add_link_options"})
_LANGUAGE = re.compile(r"COMPILE_LANGUAGE:CUDA\b|COMPILE_LANG_AND_ID:CUDA,NVIDIA\b")
_CUDA_STANDARD = re.compile(r"\bcuda_std_(\d+)\b")
_FLAGS = re.compile(r"CMAKE_CUDA_FLAGS(_\w+)?")


def options_instead(call: CMakeCommand, place: CMakePlace) -> Instead | None:
    """The options that HIP's compiler takes, in commands of its own or beside CUDA's."""
    if call.name == "target_compile_features" and _CUDA_STANDARD.search(" ".join(call.texts)):
        standards = {text: _CUDA_STANDARD.sub(r"hip_std_\1", text) for text in call.texts}
        return Instead([place.written(call, standards)])
    if standard := _standard_lines(call, place):
        return Instead(None, standard)
    if call.name == "set" and call.texts and _FLAGS.fullmatch(call.texts[0]) and "CACHE" not in call.texts:
        return Instead(None, _flags_line(call))
    if call.name not in _OPTIONS:
        return None
    if _LANGUAGE.search(" ".join(call.texts)):
        return Instead(None, _for_language(call, place))
    if not has_nvcc_words(call.texts):
        return None
    kept = hip_words(call.texts)
    scope = {"PRIVATE", "PUBLIC", "INTERFACE", *(call.texts[:1] if call.name.startswith("target_") else ())}
    bare = not [word for word in kept if word not in scope]
    return Instead([] if bare else [f"{call.name}({' '.join(map(_quoted, kept))})"])


def _standard_lines(call: CMakeCommand, place: CMakePlace) -> list[str]:
    """The C++ of CUDA's sources for HIP, which without it takes that of the other sources."""
    texts = call.texts
    if call.name == "set" and texts[:1] == ["CMAKE_CUDA_STANDARD"] and len(texts) == 2:
        return [] if place.wanted.cxx_standards == {texts[1]} else [f"set(CMAKE_HIP_STANDARD {texts[1]})"]
    if call.name != "set_target_properties" or "PROPERTIES" not in texts:
        return []
    at = texts.index("PROPERTIES")
    given = dict(zip(texts[at + 1 :: 2], texts[at + 2 :: 2]))
    standard = given.get("CUDA_STANDARD")
    usual = place.wanted.cuda_standards or place.wanted.cxx_standards
    if standard is None or (usual == {standard} and given.get("CXX_STANDARD", standard) == standard):
        return []
    return [f"set_target_properties({' '.join(texts[:at])} PROPERTIES HIP_STANDARD {standard})"]


def _flags_line(call: CMakeCommand) -> list[str]:
    name = call.texts[0].replace("CUDA", "HIP")
    words = " ".join(call.texts[1:]).split()
    kept = [word.replace("CMAKE_CUDA_FLAGS", "CMAKE_HIP_FLAGS") for word in hip_words(words)]
    return [f'set({name} "{" ".join(kept)}")'] if [w for w in kept if not w.startswith("${CMAKE_HIP_FLAGS")] else []


def _for_language(call: CMakeCommand, place: CMakePlace) -> list[str]:
    """The options that a generator expression gives to CUDA, given to HIP."""
    texts = []
    found = False
    scoped = call.name.startswith("target_")
    for argument in _expressions(call.texts[1:] if scoped else call.texts):
        if argument in ("PRIVATE", "PUBLIC", "INTERFACE"):
            texts.append(argument)
        match = re.fullmatch(r"\$<\$<COMPILE_LANGUAGE:CUDA>:(.*)>", argument, re.S)
        if match and "$<" not in match[1]:
            kept = hip_words(match[1].replace(";", " ").split())
            if kept:
                texts.append(f'"$<$<COMPILE_LANGUAGE:HIP>:{";".join(kept)}>"')
                found = True
        elif _LANGUAGE.search(argument):
            what = "options for CUDA alone are not given to HIP"
            place.leave(call, what, "the generator expression is not read", stops=False)
    return [f"{call.name}({' '.join([*call.texts[:1], *texts] if scoped else texts)})"] if found else []


def _quoted(word: str) -> str:
    return f'"{word}"' if re.search(r"[\s;]", word) and not word.startswith('"') else word


def _expressions(texts: list[str]) -> Iterator[str]:
    """Arguments, with a generator expression that runs over several of them as one."""
    open_text: list[str] = []
    for text in texts:
        open_text.append(text)
        joined = " ".join(open_text)
        if joined.count("$<") <= joined.count(">"):
            yield joined
            open_text = []
    if open_text:
        yield " ".join(open_text)
