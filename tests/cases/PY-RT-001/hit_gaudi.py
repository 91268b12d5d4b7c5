try:
    step()
except RuntimeError as error:
    if "CUDA out of memory" in str(error):
        halve()
# output
target: gaudi
4 wrong-result: "CUDA out of memory" in str(error)
