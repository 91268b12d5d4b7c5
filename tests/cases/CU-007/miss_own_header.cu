#include "mma.h" // the project's own, not <mma.h>
namespace tiles { struct mma {}; struct wmma { static int size(); }; }
int edge = tiles::wmma::size(); // nvcuda::wmma
# output
