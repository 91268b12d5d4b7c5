def kernel(q, k):
    assert q.is_cuda and k.is_cuda, "q and k must be on the GPU"
    return q @ k
# output
target: gaudi
2 crash: q.is_cuda
