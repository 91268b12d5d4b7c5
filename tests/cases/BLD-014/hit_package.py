from mypackage import _C
import mypackage.ops._C as ops
# output
1 info: from mypackage import _C
2 info: import mypackage.ops._C as ops
