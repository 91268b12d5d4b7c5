#include <NvInfer.h>
#include "NvInferPlugin.h"
#include <vector>

nvinfer1::ICudaEngine *engine;
# output
1 build-fail: #include <NvInfer.h>
