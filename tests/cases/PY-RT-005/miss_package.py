import nvtx

nvtx.push_range("forward")


@nvtx.annotate("step")
def step():
    pass
# output
