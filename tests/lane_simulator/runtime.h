// Between the scheduler (scheduler.cpp), what is known of memory (memory.cpp), the run of a case (cases.cpp) and a
// generated program.
#pragma once
#include <string>

#include "lanes.h"

namespace lanes {
struct Setup {
  bool amd;
  int wave;
  bool checked_masks;
  unsigned seed;  // 0: the same order each time
};
extern Setup setup;

// Ends the process with one line of JSON: the outcome of the run.
[[noreturn]] void end_run(const char* outcome, const std::string& detail);

// ------------------------------------------------------------ scheduler.cpp
void leave_lane();
bool is_in_lane_stacks(const void* address);
const unsigned char garbage = 0xa5;  // in shared memory at the start, and read from lanes that are not there

// ------------------------------------------------------------ values.cpp
long reads_from_absent_lanes();

// ------------------------------------------------------------ memory.cpp
void read_symbols();
void* allocate(size_t size, const char* name);
void release(void* memory);
void fill_shared_objects(unsigned char pattern);
// Whether the lanes share it; says in `trouble` what an access outside of every object hit.
bool is_shared_between_lanes(const void* address, size_t size, std::string* trouble);

// ------------------------------------------------------------ a run
class Arguments {
 public:
  template <typename T>
  T* buffer(const char* name, size_t count, T (*fill)(long)) {
    T* data = static_cast<T*>(allocate(count * sizeof(T), name));
    for (size_t i = 0; i < count; ++i) data[i] = fill(static_cast<long>(i));
    keep({name, data, count, [](const void* from, size_t i) { print(static_cast<const T*>(from)[i]); }});
    return data;
  }
  struct Kept {
    const char* name;
    const void* data;
    size_t count;
    void (*print)(const void* data, size_t i);
  };

 private:
  static void keep(const Kept& buffer);
  static void print(float value);
  static void print(double value);
  static void print(long long value);
  static void print(unsigned long long value);
  template <typename T>
  static void print(T value) {
    print(static_cast<typename std::conditional<std::is_signed<T>::value, long long, unsigned long long>::type>(value));
  }
};
struct Case {
  const char* name;
  void (*run)(Arguments&);
};
// Runs the cases named on the command line, each in a process of its own, and prints a line of JSON for each.
int run_cases(const Case* cases, size_t count, bool amd, int wave, int argc, char** argv);
}  // namespace lanes
