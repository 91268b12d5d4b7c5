#include "my_nvgraph_like.hpp"
#include "graph.h"
int nvgraph = 0;
# output
