from cuda import cudart
from cuda import cuda as drv, nvrtc
import cuda.bindings.driver as driver
from cuda.core.experimental import Device
# output
1 crash: from cuda import cudart
2 crash: from cuda import cuda as drv, nvrtc
3 crash: import cuda.bindings.driver as driver
4 crash: from cuda.core.experimental import Device
