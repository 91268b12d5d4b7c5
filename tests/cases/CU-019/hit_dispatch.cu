#include <torch/extension.h>

void forward(at::Tensor x) {
  AT_DISPATCH_FLOATING_TYPES(x.type(), "forward", ([&] { (void)x; }));
  AT_DISPATCH_FLOATING_TYPES_AND_HALF(inputs[0].type(), "backward", ([&] { (void)x; }));
}
# output
4 info: AT_DISPATCH_FLOATING_TYPES(x.type(),
5 info: AT_DISPATCH_FLOATING_TYPES_AND_HALF(inputs[0].type(),
