import torch as t


def run(kernel, x):
    num_sms = t.cuda.get_device_properties(x.device).multi_processor_count
    grid = (min(num_sms, x.shape[0]),)
    kernel[grid](x)
    kernel[(num_sms * 4,)](x)
# output
7 info: kernel[grid]
8 info: kernel[(num_sms * 4,)]
