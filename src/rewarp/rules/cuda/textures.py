"""CU-008: textures and surfaces."""

import re
from collections.abc import Iterator

from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import SourceFix
from rewarp.lang.cpp.file import CodeFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.cuda import KINDS, counted, declares, is_device_code, listed, reachable, uses
from rewarp.source import Span
from rewarp.targets import Context

_REFERENCE = re.compile(
    rb"^[ \t]*(?:static\s+|extern\s+|__device__\s+){0,4}(texture|surface)\s*<[^;{}()]{0,400}>\s*\w+\s*[;=]", re.M
)
_FETCH = re.compile(rb"tex(?:1D|2D|3D|Cubemap)\w*|surf(?:1D|2D|3D|Cubemap)(?:read|write|Layered)\w*")
_MAKE = re.compile(rb"cudaCreate(?:Texture|Surface)Object|cu(?:Tex|Surf)ObjectCreate")
_HANDLE = re.compile(rb"cuda(?:Texture|Surface)Object_t|CU(?:tex|surf)Object")


@rule(
    id="CU-008",
    title="Textures or surfaces are used",
    kinds=KINDS,
    anchors=[
        *(
            "texture",
            "surface",
            "tex1D",
            "tex2D",
            "tex3D",
            "tex1Dfetch",
            "tex1DLod",
            "tex2DLod",
            "tex3DLod",
            "tex2DLayered",
        ),
        *(
            "tex2Dgather",
            "texCubemap",
            "surf1Dread",
            "surf1Dwrite",
            "surf2Dread",
            "surf2Dwrite",
            "surf3Dread",
            "surf3Dwrite",
        ),
        *(
            "surf2DLayeredread",
            "surf2DLayeredwrite",
            "cudaTextureObject_t",
            "cudaSurfaceObject_t",
            "cudaCreateTextureObject",
        ),
        *("cudaCreateSurfaceObject", "cuTexObjectCreate", "cuSurfObjectCreate", "CUtexObject", "CUsurfObject"),
    ],
    phase=Phase.ARCHITECTURE,
    rocm=Impact(
        Severity.BUILD,
        why="Texture references are gone from CUDA 12 and deprecated in HIP. Texture objects have HIP twins, but the data-centre "
        "GPUs from gfx942 on have no texture units: there tex2D and its kin do not compile (__HIP_NO_IMAGE_SUPPORT).",
        fix="Use texture objects, and on GPUs without them read through a plain pointer, interpolating and clamping in code.",
        effort=Effort.HOURS,
    ),
    example="texture<float, 2> source;",
    versions="texture units: RDNA and CDNA up to gfx90a",
    source="https://github.com/ROCm/rocm-examples/pull/462",
    fix=SourceFix(),
)
def match(document: CodeFile, context: Context) -> Iterator[Hit]:
    """Looks for texture references, and for texture and surface objects where the GPU may have no texture units."""
    for found in _REFERENCE.finditer(document.code):
        kind = found[1].decode()
        yield Hit(
            Span(*found.span(1)),
            f"a {kind} reference is declared; these were removed from CUDA 12",
            f"{kind} reference",
        )
    if not context.versions.may_be("gfx94", "gfx95"):
        return
    names = {
        pattern: [name for name in document.words if pattern.fullmatch(name) and not declares(document, name)]
        for pattern in (_FETCH, _MAKE, _HANDLE)
    }
    # A variable may be called tex2D; a texture fetch is a call.
    names[_FETCH] = [name for name in names[_FETCH] if _called(document, context, name)]
    used = uses(document, context, [name for found in names.values() for name in found])
    if not used:
        return
    fetched, made = uses(document, context, names[_FETCH]), uses(document, context, names[_MAKE])
    # A fetch does not compile. Who makes objects fails when running; a handle by itself is a number.
    in_cuda = is_device_code(document) or bool(names[_MAKE] or names[_HANDLE])
    severity = None if fetched and in_cuda else Severity.CRASH if fetched or made else Severity.INFO
    yield Hit(
        (fetched or made or used).first,
        f"{counted(used.total, 'use')} of textures or surfaces ({listed(used.names)}); MI300 and later have no texture units",
        "texture",
        severity=severity,
    )


def _called(document: CodeFile, context: Context, name: bytes) -> bool:
    places = reachable(document, context, document.words[name])
    return any(re.compile(rb"\s*(?:<[^;{}()]{0,400}>\s*)?\(").match(document.code, at + len(name)) for at in places)
