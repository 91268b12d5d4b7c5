from .triton_utils import tl, triton


@triton.jit
def k(x, USE_GDC: tl.constexpr):
    if USE_GDC:
        tl.extra.cuda.gdc_wait()
    tl.store(x, tl.extra.cuda.globaltimer())
# output
7 info: tl.extra.cuda.gdc_wait
8 crash: tl.extra.cuda.globaltimer
