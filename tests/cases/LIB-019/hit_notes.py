import ctranslate2
from llama_cpp import Llama
from mmcv.ops import nms
from torch_scatter import scatter
import torch_scatter.composite

translator = ctranslate2.Translator("m", device="auto")
# output
1 info: import ctranslate2
2 runs-on-cpu: from llama_cpp import Llama
3 info: from mmcv.ops import nms
4 info: from torch_scatter import scatter
