import kvikio

try:
    from cufile import CuFile
except ImportError:
    CuFile = None
# output
1 crash: import kvikio
4 info: from cufile import CuFile
