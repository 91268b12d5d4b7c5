from triton.language import core


@core.extern
def tid(axis: core.constexpr, _builder=None):
    return core.extern_elementwise("", "", [], {(): (f"llvm.nvvm.read.ptx.sreg.tid.{axis.value}", core.int32)}, True)
# output
path: language/extra/cuda/tid.py
6 info: f"llvm.nvvm.read.ptx.sreg.tid.{axis.value}"
