#include "flash_fwd.h"

namespace cute {

template <>
void run<cute::half_t, 96>(sycl::queue& queue, Params& params) {
  launch<cute::half_t, cute::Int<96>, cute::Shape, cute::Layout>(queue, params);
  launch<cute::half_t, cute::Int<64>, cute::Shape, cute::Layout>(queue, params);
}

}  // namespace cute
# output
