#include <string>
struct texture { int id; };
int tex2D = 3; // tex2D(image, x, y)
int load(const std::string &texture_name, int surface) { return surface < tex2D ? 0 : 1; }
const char *text = "texture<float, 2> image;";
# output
