def cluster():
    from dask_cuda import LocalCUDACluster

    return LocalCUDACluster()


try:
    import cudf
except ImportError:
    import pandas as cudf
# output
2 crash: from dask_cuda import LocalCUDACluster
8 info: import cudf
