#pragma once
#include "lanes.h"
