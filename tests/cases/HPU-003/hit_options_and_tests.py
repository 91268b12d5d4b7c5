import argparse
import os

import pytest
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda")
place = os.environ.get("MODEL_DEVICE", "cuda:0")
dtype, device = torch.float16, "cuda"
devices = ["cuda:0", "cuda:1"]


def make(size, kind, device):
    return torch.zeros(size, device=device)


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", id="gpu")])
@pytest.mark.parametrize("backend", ["cuda", "cpu", "file://cache/"])
def test_store(device, backend):
    make(8, "kv", "cuda")


@pytest.mark.parametrize("backend", ["cuda", "redis://localhost"])
def test_remote(backend):
    pass
# output
target: gaudi
8 crash: "cuda"
9 crash: "cuda:0"
10 crash: "cuda"
11 crash: "cuda:0"
11 crash: "cuda:1"
18 crash: "cuda"
19 crash: "cuda"
21 crash: "cuda"
24 crash: "cuda"
# fixed
--- hit_options_and_tests.py
+++ hit_options_and_tests.py
@@ -4,23 +4,25 @@
 import pytest
 import torch
 
+IS_GAUDI = hasattr(torch, "hpu") and torch.hpu.is_available()
+
 parser = argparse.ArgumentParser()
-parser.add_argument("--device", default="cuda")
-place = os.environ.get("MODEL_DEVICE", "cuda:0")
-dtype, device = torch.float16, "cuda"
-devices = ["cuda:0", "cuda:1"]
+parser.add_argument("--device", default="hpu" if IS_GAUDI else "cuda")
+place = os.environ.get("MODEL_DEVICE", "hpu" if IS_GAUDI else "cuda:0")
+dtype, device = torch.float16, ("hpu" if IS_GAUDI else "cuda")
+devices = ["hpu" if IS_GAUDI else "cuda:0", "hpu" if IS_GAUDI else "cuda:1"]
 
 
 def make(size, kind, device):
     return torch.zeros(size, device=device)
 
 
-@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", id="gpu")])
-@pytest.mark.parametrize("backend", ["cuda", "cpu", "file://cache/"])
+@pytest.mark.parametrize("device", ["cpu", pytest.param("hpu" if IS_GAUDI else "cuda", id="gpu")])
+@pytest.mark.parametrize("backend", ["hpu" if IS_GAUDI else "cuda", "cpu", "file://cache/"])
 def test_store(device, backend):
-    make(8, "kv", "cuda")
+    make(8, "kv", "hpu" if IS_GAUDI else "cuda")
 
 
-@pytest.mark.parametrize("backend", ["cuda", "redis://localhost"])
+@pytest.mark.parametrize("backend", ["hpu" if IS_GAUDI else "cuda", "redis://localhost"])
 def test_remote(backend):
     pass
