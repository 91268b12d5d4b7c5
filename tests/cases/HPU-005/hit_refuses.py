def shift(x, shifts):
    if x.is_cuda:
        return shifted(x, shifts)
    else:
        print("only on GPUs")
        assert False


def correlate(x):
    if x.is_cuda == True:
        y = kernel(x)
    elif x.is_cuda == False:
        raise NotImplementedError()
    return y


def checked(x):
    if x.is_cuda is False:
        return reference(x)
    return kernel(x)
# output
target: gaudi
2 crash: x.is_cuda
10 perf: x.is_cuda
12 crash: x.is_cuda
18 info: x.is_cuda
