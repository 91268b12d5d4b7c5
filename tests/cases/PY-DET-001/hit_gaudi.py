import sys

import pytest
import torch as t

device = t.device("cuda" if t.cuda.is_available() else "cpu")

if t.cuda.is_available():
    t.cuda.synchronize()


def main():
    use_gpu = t.cuda.is_available()
    if not t.cuda.is_available():
        sys.exit(1)
    return use_gpu


def train():
    assert t.cuda.is_available(), "needs a GPU"


def test_it():
    if not t.cuda.is_available():
        pytest.skip("no GPU")
# output
target: gaudi
6 runs-on-cpu: t.cuda.is_available()
8 info: t.cuda.is_available()
13 runs-on-cpu: t.cuda.is_available()
14 crash: t.cuda.is_available()
20 crash: t.cuda.is_available()
24 info: t.cuda.is_available()
# fixed
--- hit_gaudi.py
+++ hit_gaudi.py
@@ -3,21 +3,23 @@
 import pytest
 import torch as t
 
-device = t.device("cuda" if t.cuda.is_available() else "cpu")
+IS_GAUDI = hasattr(t, "hpu") and t.hpu.is_available()
+
+device = t.device(("hpu" if IS_GAUDI else "cuda") if IS_GAUDI or t.cuda.is_available() else "cpu")
 
 if t.cuda.is_available():
     t.cuda.synchronize()
 
 
 def main():
-    use_gpu = t.cuda.is_available()
-    if not t.cuda.is_available():
+    use_gpu = IS_GAUDI or t.cuda.is_available()
+    if not (IS_GAUDI or t.cuda.is_available()):
         sys.exit(1)
     return use_gpu
 
 
 def train():
-    assert t.cuda.is_available(), "needs a GPU"
+    assert IS_GAUDI or t.cuda.is_available(), "needs a GPU"
 
 
 def test_it():
