from nvidia.dali import pipeline_def
import nvidia.dali.fn as fn
# output
1 crash: from nvidia.dali import pipeline_def
2 crash: import nvidia.dali.fn as fn
