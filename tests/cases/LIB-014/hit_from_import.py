from faiss import StandardGpuResources as R, index_cpu_to_all_gpus

res = R()
index = index_cpu_to_all_gpus(cpu_index)
# output
3 crash: R
