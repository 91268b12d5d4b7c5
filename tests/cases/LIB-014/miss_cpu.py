import faiss

index = faiss.IndexFlatL2(64)
index.add(x)
print("StandardGpuResources")  # faiss.StandardGpuResources()
n = faiss.get_num_gpus()
# output
