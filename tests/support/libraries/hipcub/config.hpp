#include "hipcub.hpp"
