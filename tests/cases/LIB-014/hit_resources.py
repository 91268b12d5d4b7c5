import faiss

res = faiss.StandardGpuResources()
index = faiss.index_cpu_to_gpu(res, 0, faiss.IndexFlatL2(64))
flat = faiss.GpuIndexFlatL2(res, 64)
# output
3 crash: faiss.StandardGpuResources
4 crash: faiss.index_cpu_to_gpu
5 crash: faiss.GpuIndexFlatL2
