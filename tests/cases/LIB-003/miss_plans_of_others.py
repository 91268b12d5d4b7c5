from myfft import get_fft_plan


def plans(x):
    return get_fft_plan(x, axes=(1, 2), value_type="C2R")
# output
