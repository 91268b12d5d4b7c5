CC = hipcc
NVCCFLAGS = -gencode arch=compute_80,code=sm_80
ifeq ($(PLATFORM),nvidia)
  CFLAGS += -gencode arch=compute_80,code=sm_80
endif
# output
path: Makefile
ported: yes
2 info: -gencode arch=compute_80,code=sm_80
4 info: -gencode arch=compute_80,code=sm_80
