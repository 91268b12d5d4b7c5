"""How projects name a target: in prose, in identifiers, in files' names, in CI."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Words:
    anywhere: tuple[bytes, ...]
    """A file without any of these, in small letters, says nothing."""
    prose: re.Pattern[str]
    """The target, in a sentence."""
    not_meant: re.Pattern[str]
    """What only sounds like it: a processor, another way to reach the card."""
    identifier: re.Pattern[str]
    """A name that asks for the target or is for it alone; whole names."""
    path: re.Pattern[str]
    """A dotted path of a library that does."""
    of_path: re.Pattern[bytes]
    """What a file writes that has such a path."""
    macro: re.Pattern[str]
    """A macro of the target's compiler, or a switch for it."""
    header: re.Pattern[str]
    build: re.Pattern[str]
    """A CMake package, language or option, a feature of Cargo, a compiler."""
    command: re.Pattern[str]
    """In CI, images and lists of packages."""
    file: re.Pattern[str]
    """The name of a file that is for the target."""

    def may_be_in(self, data: bytes) -> bool:
        small = data.lower()
        return any(word in small for word in self.anywhere)

    def name_target(self, name: str) -> bool:
        """Whether an identifier asks for the target; ``hip`` alone is a joint as often as AMD's runtime."""
        return self.identifier.fullmatch(name) is not None and name.lower() != "hip"


WORDS = {
    "rocm": Words(
        anywhere=(b"hip", b"rocm", b"amd", b"radeon", b"mi2", b"mi3", b"gfx"),
        prose=re.compile(
            r"(?i)(?<![a-z])(?:rocm|hip(?!\s*(?:joint|hop))|mi[23]\d\d[xa]?|radeon|instinct|amd(?:'s)?)(?![a-z0-9]*64)(?![a-z])"
        ),
        not_meant=re.compile(
            r"(?i)ryzen|epyc|threadripper|amd64|\bcpus?\b|processor|vulkan|opencl|directml|ncnn|zluda|onednn|fsr\b"
        ),
        identifier=re.compile(
            r"(?i)_*(?:is_?|use_?|with_?|has_?|have_?|on_?|build_?|enable_?|torch_)?(?:rocm|hip)"
            r"(?:_?(?:available|extension|home|version|platform|build|pytorch|enabled|path|gpu|backend|arch\w*|device))?_*"
            r"|(?:is|use)_?amd(?:_?gpu)?|__hip_\w+"
        ),
        path=re.compile(r"torch\.version\.hip|torch\.utils\.cpp_extension\.(?:IS_HIP_EXTENSION|ROCM_HOME|HIP_HOME)"),
        of_path=re.compile(rb"\bhip\b|IS_HIP_EXTENSION|ROCM_HOME|HIP_HOME"),
        macro=re.compile(r"__HIP\w*|\w*USE_(?:ROCM|HIP)\w*|HIPCC|\w*(?:^|_)(?:HIP|ROCM|HIPBLAS)(?:_\w+)?"),
        header=re.compile(
            r"(?:hip|roc|hipcub|hipblas|hiprand|hipfft|hipsparse|miopen|rocblas|thrust/system/hip)\w*/.+"
        ),
        build=re.compile(
            r"(?i)(?:\w*_)?(?:rocm|hip|hipcc|amdgpu|hipblas|hiprtc|rocblas)(?:_\w*)?|amdgcn\S*|.*\bhipcc\b.*"
        ),
        command=re.compile(
            r"(?i)(?<![a-z])rocm(?!\s*[=:]\s*(?:\"\"|''|$))|\bamdgpu|(?<![a-z0-9])mi[23]\d\dx?\b|gfx9\d|hipcc|torch_hip"
        ),
        file=re.compile(r"(?i)(?:^|[._-])(?:rocm|hip|amd)\d*(?:[._-]|$)"),
    ),
    "gaudi": Words(
        anywhere=(b"hpu", b"gaudi", b"habana", b"synapse"),
        prose=re.compile(r"(?i)(?<![a-z])(?:gaudi\s?\d?|hpus?|habana)(?![a-z])"),
        not_meant=re.compile(r"(?i)barcelona|sagrada"),
        identifier=re.compile(
            r"(?i)_*(?:is_?|use_?|with_?|has_?|have_?|on_?|torch_?)?(?:hpu|gaudi\d?|habana)"
            r"(?:_?(?:available|platform|backend|enabled|device|accelerator|frameworks?|torch))?_*"
        ),
        path=re.compile(r"torch\.hpu\b.*|habana_frameworks\b.*|optimum\.habana\b.*"),
        of_path=re.compile(rb"hpu|habana"),
        macro=re.compile(r"\w*(?:^|_)(?:HPU|HABANA|GAUDI)(?:_\w+)?"),
        header=re.compile(r"(?:habana|synapse)\w*.*"),
        build=re.compile(r"(?i)(?:\w*_)?(?:hpu|habana|gaudi)(?:_\w*)?"),
        command=re.compile(r"(?i)gaudi|habana|(?<![a-z])hpu(?![a-z])"),
        file=re.compile(r"(?i)(?:^|[._-])(?:hpu|gaudi\d?|habana)(?:[._-]|$)"),
    ),
}
