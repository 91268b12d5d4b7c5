"""Units of both back ends: a file for each way in which C++ code bases set back ends beside each other."""
