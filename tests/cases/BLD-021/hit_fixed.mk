NVCC = nvcc
NVCCFLAGS = -O3 --use_fast_math -Xcompiler -fPIC

saxpy: saxpy.cu
	$(NVCC) $(NVCCFLAGS) -o $@ $<
# output
path: Makefile
beside: saxpy.cu
2 build-fail: -O3 --use_fast_math -Xcompiler -fPIC
# fixed
--- /dev/null
+++ Makefile.rocm
@@ -0,0 +1,11 @@
+# The targets of Makefile for AMD GPUs: make -f Makefile.rocm [TARGET]
+# ROCM_ARCH says for which (ROCM_ARCH="gfx942 gfx1100"); without it the GPUs of this machine are asked.
+ROCM_PATH ?= /opt/rocm
+ROCM_ARCH ?= $(sort $(filter-out gfx000,$(shell $(ROCM_PATH)/bin/rocm_agent_enumerator)))
+HIPCC = $(ROCM_PATH)/bin/hipcc $(addprefix --offload-arch=,$(ROCM_ARCH))
+override NVCC = $(HIPCC)
+
+include Makefile
+
+# What only nvcc understands is taken out of what was put together above.
+NVCCFLAGS := $(filter-out --use_fast_math -Xcompiler,$(NVCCFLAGS))
