import ctypes

pointer = ctypes.c_void_p(stream.cuda_stream)
# output
target: gaudi
3 crash: ctypes.c_void_p(stream.cuda_stream)
