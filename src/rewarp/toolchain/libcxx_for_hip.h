// HIP's headers specialise a template of libc++ that libc++ 19 and later no longer declare.
#ifdef __cplusplus
#include <cmath>
_LIBCPP_BEGIN_NAMESPACE_STD
template <class> struct __numeric_type;
_LIBCPP_END_NAMESPACE_STD
#endif
