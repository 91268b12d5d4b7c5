from numba import cuda


def view(t):
    return cuda.as_cuda_array(t), t.__cuda_array_interface__["data"][0]


class Wrapper:
    def __cuda_array_interface__(self):
        return {}
# output
5 crash: t.__cuda_array_interface__
9 crash: def __cuda_array_interface__(self):
