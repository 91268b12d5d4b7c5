// compile: no, it needs a header of others
#include <opencv2/core/cuda.hpp>

using namespace cv;
using namespace cuda;

void upload(GpuMat& image, const Mat& from) { image.upload(from); }
// ---- unchanged ----
