def intrinsic(name):
    table = {
        "tid.x": ["llvm.nvvm.read.ptx.sreg.tid.x", "int"],
        "bid.x": ["llvm.nvvm.read.ptx.sreg.ctaid.x", "int"],
        "bdim.x": ["llvm.nvvm.read.ptx.sreg.ntid.x", "int"],
        "__syncthreads": ["llvm.nvvm.barrier0", "void"],
    }
    return table[name]


def thread(axis):
    return f"  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.{axis}()\n"
# output
3 build-fail: "llvm.nvvm.read.ptx.sreg.tid.x"
12 build-fail: f"  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.{axis}()\n"
