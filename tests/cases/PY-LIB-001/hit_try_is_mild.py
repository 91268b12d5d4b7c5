try:
    import pynvml
except ImportError:
    pynvml = None
import nvitop
# output
2 info: import pynvml
5 crash: import nvitop
