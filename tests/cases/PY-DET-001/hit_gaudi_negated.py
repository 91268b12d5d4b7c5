import torch


def launch(function, in_notebook):
    if in_notebook and (not torch.cuda.is_available() or torch.cuda.device_count() < 2):
        function()
    else:
        print("several devices")
# output
target: gaudi
5 wrong-result: torch.cuda.is_available()
