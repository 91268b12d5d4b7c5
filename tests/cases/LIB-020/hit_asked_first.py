from mxnet import npx


def device(i=0):
    return npx.gpu(i) if npx.num_gpus() >= i + 1 else npx.cpu()
# output
5 runs-on-cpu: npx.num_gpus()
