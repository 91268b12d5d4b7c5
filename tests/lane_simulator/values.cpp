// What lanes get from one another, once they have met.
#include "runtime.h"

namespace lanes {
static long read_from_absent = 0;

void copy_value(void* to, size_t size, const Meeting& met, int from) {
  const bool present = met.present >> from & 1;
  if (present) std::memcpy(to, met.values[from], size);
  else std::memset(to, setup.amd ? 0 : garbage, size);
  read_from_absent += !present;
}
unsigned long long ballot_of(const Meeting& met) {
  unsigned long long bits = 0;
  for (int i = 0; i < widest_wave; ++i)
    if (met.present >> i & 1 && met.values[i][0]) bits |= 1ull << i;
  return bits;
}
unsigned long long equal_lanes(const Meeting& met, const void* value, size_t size) {
  unsigned long long bits = 0;
  for (int i = 0; i < widest_wave; ++i)
    if (met.present >> i & 1 && std::memcmp(met.values[i], value, size) == 0) bits |= 1ull << i;
  return bits;
}
unsigned long long reversed_bits(unsigned long long bits) {
  unsigned long long result = 0;
  for (int i = 0; i < 64; ++i) result |= (bits >> i & 1) << (63 - i);
  return result;
}
unsigned nth_set_bit(unsigned bits, unsigned base, int offset) {
  if (offset == 0) return bits >> (base & 31u) & 1u ? base : 0xffffffffu;
  const int step = offset > 0 ? 1 : -1;
  for (int bit = static_cast<int>(base & 31u); bit >= 0 && bit < 32; bit += step)
    if (bits >> bit & 1u && (offset -= step) == 0) return static_cast<unsigned>(bit);
  return 0xffffffffu;
}
void refuse(const char* what) {
  end_run("compile error", std::string(what) + (std::strncmp(what, "__", 2) ? ": PTX is not AMD code"
                                                                            : ": HIP takes a 64-bit mask only"));
}
bool masks_are_checked() { return setup.checked_masks; }
long reads_from_absent_lanes() { return read_from_absent; }
void load(void* to, const void* from, size_t size) { std::memcpy(to, from, size); }
void store(void* to, const void* from, size_t size) { std::memcpy(to, from, size); }
}  // namespace lanes
