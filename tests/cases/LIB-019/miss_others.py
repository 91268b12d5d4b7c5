import mmcv
from mmcv.transforms import BaseTransform
from scatter import torch_scatter

text = "import ctranslate2"
# output
