from torch.nn.attention.varlen import varlen_attn, varlen_attn_out as attend


def forward(q, k, v, cu, n, out, splits):
    varlen_attn(q, k, v, cu, cu, n, n, num_splits=1)
    attend(out, q, k, v, cu, cu, n, n, num_splits=splits)
# output
5 crash: num_splits=1
6 crash: num_splits=splits
# fixed
--- hit_varlen.py
+++ hit_varlen.py
@@ -1,6 +1,7 @@
 from torch.nn.attention.varlen import varlen_attn, varlen_attn_out as attend
+from torch import version as torch_version
 
 
 def forward(q, k, v, cu, n, out, splits):
-    varlen_attn(q, k, v, cu, cu, n, n, num_splits=1)
-    attend(out, q, k, v, cu, cu, n, n, num_splits=splits)
+    varlen_attn(q, k, v, cu, cu, n, n) if torch_version.hip is not None else varlen_attn(q, k, v, cu, cu, n, n, num_splits=1)
+    attend(out, q, k, v, cu, cu, n, n) if torch_version.hip is not None else attend(out, q, k, v, cu, cu, n, n, num_splits=splits)
