CC = hipcc
ifeq ($(OPTIMIZE),yes)
  CFLAGS += -O3 -gencode arch=compute_80,code=sm_80
endif
# output
path: Makefile
ported: yes
3 build-fail: -O3 -gencode arch=compute_80,code=sm_80
