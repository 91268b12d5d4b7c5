"""Trains a toy transformer block on synthetic data for a few steps."""

import argparse
import os
import time

os.environ.setdefault("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True,max_split_size_mb:512")

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn

import warpnorm
from warpnorm import fp8, gpu, triton_kernels
from warpnorm.attention import causal_attention

WIDTH, HEADS, SEQUENCE, CLASSES = 256, 4, 128, 64


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH)
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)
        self.head = nn.Linear(WIDTH, CLASSES)

    def forward(self, x):
        q, k, v = self.qkv(self.norm(x)).view(*x.shape[:2], 3, HEADS, WIDTH // HEADS).unbind(2)
        return self.head(x + self.out(causal_attention(q, k, v).flatten(2)))


def set_up(args):
    gpu.require_cuda()
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.backends.cudnn.allow_tf32 = True
    torch.backends.cudnn.benchmark = True
    torch.manual_seed(0)
    rank = int(os.environ.get("LOCAL_RANK", 0))
    torch.cuda.set_device(rank)
    if int(os.environ.get("WORLD_SIZE", 1)) > 1:
        dist.init_process_group("nccl")
    release, newest = gpu.driver()
    capability = ".".join(map(str, torch.cuda.get_device_capability()))
    print(
        f"{torch.cuda.get_device_name()} (compute {capability}), driver {release} (CUDA {newest}), "
        f"visible {os.environ.get('CUDA_VISIBLE_DEVICES', 'all')}, torch {torch.__version__}, mode {args.mode}"
    )
    return rank


def compiled(model, mode):
    if mode == "reduce-overhead":
        return torch.compile(model, mode="reduce-overhead")
    if mode == "max-autotune":
        return torch.compile(model, mode="max-autotune")
    return torch.compile(model) if mode == "default" else model


def train(args, rank):
    model = Block().cuda()
    if dist.is_initialized():
        model = nn.parallel.DistributedDataParallel(model, device_ids=[rank])
    step_model = compiled(model, args.mode)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, fused=True)
    batch, step = args.batch, 0
    losses = []
    while step < args.steps:
        try:
            x = torch.randn(batch, SEQUENCE, WIDTH, device="cuda")
            target = x[..., :CLASSES].argmax(-1)
            optimizer.zero_grad(set_to_none=True)
            torch.cuda.nvtx.range_push(f"step {step}")
            started = time.perf_counter()
            with torch.autocast("cuda", dtype=torch.bfloat16):
                logits = step_model(x)
            loss = F.cross_entropy(logits.float().flatten(0, 1), target.flatten())
            loss.backward()
            optimizer.step()
            torch.cuda.synchronize()
            torch.cuda.nvtx.range_pop()
        except RuntimeError as error:
            if "CUDA out of memory" not in str(error) or batch == 1:
                raise
            batch //= 2
            torch.cuda.empty_cache()
            continue
        seconds = time.perf_counter() - started
        flops = 6 * batch * SEQUENCE * sum(p.numel() for p in model.parameters())
        mfu = flops / seconds / 1e12 / gpu.peak_tflops()
        losses.append(loss.item())
        print(f"step {step}: loss {losses[-1]:.4f}, {seconds * 1e3:.1f} ms, MFU {mfu:.2%}")
        step += 1
    return model, losses


@torch.inference_mode()
def replay(model):
    """One forward captured as a CUDA graph, and replayed on new data."""
    static_x = torch.randn(8, SEQUENCE, WIDTH, device="cuda")
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            model(static_x)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        static_y = model(static_x)
    static_x.copy_(torch.randn_like(static_x))
    graph.replay()
    torch.testing.assert_close(static_y, model(static_x), rtol=1e-2, atol=1e-2)
    return static_y


@torch.inference_mode()
def evaluate(logits):
    """Runs our own kernels on the result."""
    flat = logits.float().flatten(0, 1).contiguous()
    probabilities = warpnorm.softmax(flat)
    bins, finite = warpnorm.histogram(probabilities, 0.0, 1.0)
    swish = triton_kernels.swish(flat)
    print(f"probabilities sum to {probabilities.sum(-1).mean():.4f}, {finite.item()} finite, "
          f"{bins.argmax().item()} the fullest bin, swish mean {swish.mean():.4f}")
    if gpu.has_fp8():
        a, b = (torch.randn(128, 256, device="cuda", dtype=torch.bfloat16) for _ in range(2))
        error = (fp8.matmul(a, b).float() - a.float() @ b.float().t()).abs().mean()
        print(f"FP8 product: mean error {error:.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--mode", default="reduce-overhead", choices=["eager", "default", "reduce-overhead", "max-autotune"])
    parser.add_argument("--monitor", action="store_true", help="print power and memory at the end; needs pynvml")
    parser.add_argument("--profile", action="store_true", help="mark the run for nsys --capture-range=cudaProfilerApi")
    args = parser.parse_args()
    rank = set_up(args)
    if args.profile:
        torch.cuda.cudart().cudaProfilerStart()
    model, losses = train(args, rank)
    evaluate(replay(model))
    if args.profile:
        torch.cuda.cudart().cudaProfilerStop()
    if args.monitor:
        from warpnorm.monitor import Monitor

        print(Monitor(rank).line())
    if dist.is_initialized():
        dist.destroy_process_group()
    print("DONE", "loss went down" if losses[-1] < losses[0] else "loss did not go down")


if __name__ == "__main__":
    main()
