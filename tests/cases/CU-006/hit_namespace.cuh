#pragma once
#include "traits.h"

template <class Layout>
__device__ auto pick(Layout const &layout) {
  auto shape = cute::shape(layout);
  auto first = cute::get<0>(shape);
  auto tile = cute::make_shape(cute::Int<64>{}, first);
  return cute::make_tensor(cute::make_layout(tile));
}
# output
6 build-fail: cute::
