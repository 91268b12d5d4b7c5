// Fourier transforms of any length, in double precision.
#pragma once
#include "calls.h"

typedef double _Complex Z;
typedef struct Transform Transform;
Transform *transform_of(I64 length);       // kept for the next one who asks
void transform(const Transform *, Z *data, I64 step, int sign);
