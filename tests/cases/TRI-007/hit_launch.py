import triton


def run(kernel, a, pdl):
    kernel[(1,)](a, maxnreg=128)
    kernel[(1,)](a, min_shared_mem=None)
    kernel[(1,)](a, launch_pdl=pdl)
    kernel[(1,)](a, **{"ptx_options": "-O1"})
# output
5 crash: 128
6 crash: None
7 crash: pdl
8 crash: "-O1"
