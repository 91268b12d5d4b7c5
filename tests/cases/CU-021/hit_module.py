import subprocess

HEAD = """
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
"""
KERNEL = "define ptx_kernel void @scale(ptr %x) {"
MARK = "!nvvm.annotations = !{!0}"


def compile_module(path):
    subprocess.run(["llc", "-mtriple=nvptx64-nvidia-cuda", path], check=True)


def compile_with(binding, module):
    return binding.Target.from_triple("nvptx64-nvidia-cuda").create(module)
# output
3 build-fail: """
7 build-fail: "define ptx_kernel void @scale(ptr %x) {"
8 crash: "!nvvm.annotations = !{!0}"
12 crash: "-mtriple=nvptx64-nvidia-cuda"
16 crash: "nvptx64-nvidia-cuda"
