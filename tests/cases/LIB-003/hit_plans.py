import cupyx.scipy.fft as cpfft


def plans(x):
    inverse = cpfft.get_fft_plan(x, axes=(1, 2), value_type="C2R")
    module = cpfft
    other = module.get_fft_plan(x, shape=(4, 4), axes=[0, 1], value_type="C2R")
    one = cpfft.get_fft_plan(x, axes=1, value_type="C2R")
    single = cpfft.get_fft_plan(x, axes=(1,), value_type="C2R")
    forward = cpfft.get_fft_plan(x, axes=(1, 2), value_type="R2C")
# output
1 info: import cupyx.scipy.fft as cpfft
5 crash: cpfft.get_fft_plan(x, axes=(1, 2), value_type="C2R")
7 crash: module.get_fft_plan(x, shape=(4, 4), axes=[0, 1], value_type="C2R")
