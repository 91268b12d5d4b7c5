// What memory there is: buffers with empty space around them, and the program's own objects, read from its symbols.
#include <elf.h>
#include <link.h>
#include <sys/mman.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <vector>

#include "runtime.h"

namespace lanes {
namespace {
struct Object {
  uintptr_t begin, end;
  std::string name;
  bool shared;
};
const size_t arena_size = size_t{1} << 32;  // reserved, not used: pages come when touched
const size_t gap = 1 << 18;
const uintptr_t shared_alignment = 4096;

uintptr_t arena = 0, arena_used = 0;
std::map<uintptr_t, Object> buffers;  // by begin
std::vector<Object> objects;          // writable ones of the program, in order

const Object* around(uintptr_t address) {
  auto after = std::upper_bound(objects.begin(), objects.end(), address,
                                [](uintptr_t at, const Object& object) { return at < object.begin; });
  return after == objects.begin() ? nullptr : &*std::prev(after);
}
std::string outside(uintptr_t address, const Object* before) {
  if (!before) return "an access outside of every buffer";
  const auto past = static_cast<long>(address - before->end);
  return "an access " + std::to_string(past) + " bytes past the end of " + before->name + " (" +
         std::to_string(before->end - before->begin) + " bytes)";
}
// The last name in the mangled one of a function's static variable: sums in _ZZ6kernelPfE4sums, also with _0 behind it.
std::string plain_name(const std::string& symbol) {
  if (symbol.compare(0, 3, "_ZZ") != 0) return symbol;
  const size_t suffix = symbol.rfind('_');
  const bool numbered = symbol.find_first_not_of("0123456789", suffix + 1) == std::string::npos;
  const size_t end = numbered ? suffix : symbol.size();
  for (size_t length = 1; length + 3 < end; ++length) {
    const std::string digits = std::to_string(length);
    const size_t begin = end - length;
    if (symbol.compare(begin - digits.size(), digits.size(), digits) == 0) return symbol.substr(begin, length);
  }
  return symbol;
}
}  // namespace

// How far the program was moved from the addresses in its file. It is the first in the list.
static uintptr_t moved_by() {
  uintptr_t distance = 0;
  const auto first = [](dl_phdr_info* info, size_t, void* to) {
    *static_cast<uintptr_t*>(to) = info->dlpi_addr;
    return 1;
  };
  dl_iterate_phdr(first, &distance);
  return distance;
}

void read_symbols() {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (bytes.size() < sizeof(Elf64_Ehdr)) return;
  const uintptr_t distance = moved_by();
  const auto* header = reinterpret_cast<const Elf64_Ehdr*>(bytes.data());
  const auto* sections = reinterpret_cast<const Elf64_Shdr*>(bytes.data() + header->e_shoff);
  for (int s = 0; s < header->e_shnum; ++s) {
    if (sections[s].sh_type != SHT_SYMTAB) continue;
    const char* names = bytes.data() + sections[sections[s].sh_link].sh_offset;
    const auto* symbols = reinterpret_cast<const Elf64_Sym*>(bytes.data() + sections[s].sh_offset);
    for (size_t i = 0; i < sections[s].sh_size / sizeof(Elf64_Sym); ++i) {
      const Elf64_Sym& symbol = symbols[i];
      const bool placed = symbol.st_shndx > 0 && symbol.st_shndx < header->e_shnum;
      if (ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT || !placed || !symbol.st_size) continue;
      if (!(sections[symbol.st_shndx].sh_flags & SHF_WRITE)) continue;
      const std::string name = names + symbol.st_name;
      const bool shared = symbol.st_value % shared_alignment == 0 && name.compare(0, 3, "_ZZ") == 0;
      const uintptr_t begin = symbol.st_value + distance;
      objects.push_back({begin, begin + symbol.st_size, plain_name(name), shared});
    }
  }
  std::sort(objects.begin(), objects.end(), [](const Object& a, const Object& b) { return a.begin < b.begin; });
}

void* allocate(size_t size, const char* name) {
  if (!arena) {
    void* space = mmap(nullptr, arena_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (space == MAP_FAILED) end_run("not run", "no memory for buffers");
    arena = reinterpret_cast<uintptr_t>(space);
  }
  const uintptr_t begin = arena + arena_used + gap;
  arena_used += (gap + size + 4095) / 4096 * 4096;
  if (arena_used + gap > arena_size) end_run("not run", "the buffers are too big");
  buffers[begin] = {begin, begin + size, name, true};
  return reinterpret_cast<void*>(begin);
}
void release(void* memory) { buffers.erase(reinterpret_cast<uintptr_t>(memory)); }

void fill_shared_objects(unsigned char pattern) {
  for (const Object& object : objects)
    if (object.shared) std::memset(reinterpret_cast<void*>(object.begin), pattern, object.end - object.begin);
}

bool is_shared_between_lanes(const void* pointer, size_t size, std::string* trouble) {
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  if (address >= arena && address < arena + arena_size && arena) {
    const auto after = buffers.upper_bound(address);
    const Object* before = after == buffers.begin() ? nullptr : &std::prev(after)->second;
    if (before && address + size <= before->end) return true;
    const bool precedes = after != buffers.end() && after->first - address <= gap / 2;
    *trouble = precedes ? "an access " + std::to_string(after->first - address) + " bytes before " + after->second.name
                        : outside(address, before);
    return false;
  }
  const Object* object = around(address);
  if (!object || address / shared_alignment > (objects.back().end - 1) / shared_alignment) return false;
  if (address + size <= object->end) return true;
  *trouble = outside(address, object);
  return false;
}
}  // namespace lanes
