import torch

if torch.cuda.is_available():
    import selective_scan_cuda
else:
    import fallback
if torch.cuda.is_available():
    try:
        from llama_runner_cuda import Model
    except ImportError:
        from llama_runner import Model
else:
    from llama_runner import Model
# output
