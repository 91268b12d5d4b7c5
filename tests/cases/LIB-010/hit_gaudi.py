import lltm_cuda
import flashinfer
# output
target: gaudi
1 crash: import lltm_cuda
2 crash: import flashinfer
