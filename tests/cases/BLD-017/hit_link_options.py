from torch.utils import cpp_extension

ops = cpp_extension.load("x", ["x.cu"], extra_ldflags=["-L/lib", "-lcublas", "-lcurand -lz"])
ext = cpp_extension.CUDAExtension("x", ["x.cu"], extra_link_args=["-lcudart"], extra_compile_args=["-lcuda"])
# output
3 build-fail: "-lcublas"
3 build-fail: "-lcurand -lz"
4 build-fail: "-lcudart"
4 info: "-lcuda"
# fixed
--- hit_link_options.py
+++ hit_link_options.py
@@ -1,4 +1,4 @@
 from torch.utils import cpp_extension
 
-ops = cpp_extension.load("x", ["x.cu"], extra_ldflags=["-L/lib", "-lcublas", "-lcurand -lz"])
-ext = cpp_extension.CUDAExtension("x", ["x.cu"], extra_link_args=["-lcudart"], extra_compile_args=["-lcuda"])
+ops = cpp_extension.load("x", ["x.cu"], extra_ldflags=["-L/lib", "-lhipblas" if cpp_extension.IS_HIP_EXTENSION else "-lcublas", "-lcurand -lz"])
+ext = cpp_extension.CUDAExtension("x", ["x.cu"], extra_link_args=["-lamdhip64"] if cpp_extension.IS_HIP_EXTENSION else ["-lcudart"], extra_compile_args=["-lcuda"])
