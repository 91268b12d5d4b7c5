// Lanes as fibers, and the scheduler that lets them go on.
//
// Every access to memory that lanes share, every atomic and every function across lanes is a stop. The compiler puts
// the calls in: -fsanitize=thread calls __tsan_* at each access, -fsanitize-coverage=trace-pc calls back at each basic
// block, and the functions here answer; no sanitizer is linked. A stop is told by its place: the chain of calls and the
// address in the last of them. The lanes of a wave that stand at one place go on together; of several places the
// earliest in program order goes first, so lanes that left a branch or a loop wait behind it for the others, as on a
// GPU. A jump back is a stop too, at the end of its loop: a new turn begins when nobody is left in the old one.
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <random>
#include <unordered_set>
#include <vector>

#include "runtime.h"

// Where the caller of the function that says so stands. Frames are chained: nothing here or there is optimised away.
#define HERE \
  lanes::Here{at(__builtin_return_address(0)), at(__builtin_frame_address(1)), at(__builtin_return_address(1))}
static inline uintptr_t at(const void* address) { return reinterpret_cast<uintptr_t>(address); }

uint3 threadIdx = {0, 0, 0}, blockIdx = {0, 0, 0};
dim3 blockDim, gridDim;

namespace lanes {
struct Here {
  uintptr_t at, frame, caller;  // in the function, its frame, and where it returns to
};
namespace {
const size_t stack_size = 128 * 1024;
const unsigned most_threads = 1024;
const long patience = 20000;  // accesses of one lane, while nothing new happens in the block

enum class Stop { start, access, jump_back, atomic, meet, masked, barrier, ended };
struct Frame {
  uintptr_t address, caller, block;  // block: the basic block that was entered last
};
struct Lane {
  ucontext_t context;
  uint3 thread;
  int lane, wave;
  Stop stop = Stop::start;
  const char* what = "start";
  std::vector<Frame> calls;
  std::vector<uintptr_t> place;
  unsigned long long mask = 0;
  unsigned char value[widest_value];
  int predicate = 0;
  long last_turn = 0, last_news = 0, accesses_without_news = 0;
};
typedef std::vector<Lane*> Group;

char* stacks = nullptr;
std::vector<Lane> block;
Lane* current = nullptr;
ucontext_t scheduler;
void (*program)(const void*) = nullptr;
const void* program_arguments = nullptr;
Meeting* const meeting = new Meeting;  // on the heap, which counts as private: its readers do not stop
int barrier_sum = 0;
void* dynamic_memory = nullptr;
long turns = 0, news = 0;
std::unordered_set<uintptr_t> touched;  // addresses, by lane, since a lane ended or a barrier opened
std::mt19937 dice;

void note_progress() {
  ++news;
  touched.clear();
}
bool live(const Lane& lane) { return lane.stop != Stop::ended; }
std::string number(long value) { return std::to_string(value); }
std::string named(const Lane& lane) { return "lane " + number(lane.lane) + " of wave " + number(lane.wave); }
std::string hex(unsigned long long bits) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", bits);
  return text;
}

char* stack_of(const Lane& lane) { return stacks + stack_size * static_cast<size_t>(&lane - block.data()); }

void lane_main() {
  program(program_arguments);
  current->stop = Stop::ended;
  note_progress();
}
void prepare(Lane& lane) {
  getcontext(&lane.context);
  lane.context.uc_stack.ss_sp = stack_of(lane);
  lane.context.uc_stack.ss_size = stack_size;
  lane.context.uc_link = &scheduler;
  makecontext(&lane.context, lane_main, 0);
}
void let_go_on(Lane& lane) {
  current = &lane;
  threadIdx = lane.thread;
  lane.last_turn = ++turns;
  swapcontext(&scheduler, &lane.context);
  current = nullptr;
}
// Functions do not say that they end: a frame is over when one above it, or another in its place, is seen.
Frame& frame_of(const Here& here) {
  std::vector<Frame>& calls = current->calls;
  while (!calls.empty() && calls.back().address < here.frame) calls.pop_back();
  if (!calls.empty() && calls.back().address == here.frame && calls.back().caller != here.caller) calls.pop_back();
  if (calls.empty() || calls.back().address != here.frame) calls.push_back({here.frame, here.caller, 0});
  return calls.back();
}
void stop_lane(Stop stop, const char* what, const Here& here) {
  Lane& me = *current;
  frame_of(here);
  me.stop = stop;
  me.what = what;
  me.place.clear();
  for (const Frame& frame : me.calls) me.place.push_back(frame.caller);
  me.place.push_back(here.at);
  swapcontext(&me.context, &scheduler);
}

unsigned long long bits_of(const Group& group) {
  unsigned long long bits = 0;
  for (const Lane* lane : group) bits |= 1ull << lane->lane;
  return bits;
}
void go_on_together(const Group& group) {
  const Stop stop = group[0]->stop;
  if (stop == Stop::meet || stop == Stop::masked) {
    meeting->present = bits_of(group);
    for (const Lane* lane : group) std::memcpy(meeting->values[lane->lane], lane->value, widest_value);
  }
  for (Lane* lane : group) let_go_on(*lane);
}

// HIP's rule: the lanes here that pass one mask are exactly the lanes in it. Without the check they go on all the same.
void go_on_by_mask(Group group) {
  while (!group.empty()) {
    const unsigned long long mask = group[0]->mask;
    const auto has_mask = [=](const Lane* lane) { return lane->mask == mask; };
    const auto others = std::stable_partition(group.begin(), group.end(), has_mask);
    const Group same(group.begin(), others);
    group.erase(group.begin(), others);
    if (setup.checked_masks && bits_of(same) != mask)
      end_run("divergent", std::string(same[0]->what) + " with mask " + hex(mask) + " is reached by lanes " +
                               hex(bits_of(same)) + ": HIP stops the kernel");
    go_on_together(same);
  }
}

// CUDA's rule: a lane goes on once all lanes of its mask that have not ended wait in the same function with that mask.
Group masked_company(const Group& wave, const Lane& lane) {
  Group company;
  for (Lane* other : wave) {
    const bool same = other->stop == Stop::masked && other->mask == lane.mask && !std::strcmp(other->what, lane.what);
    if (same) company.push_back(other);
    else if (lane.mask >> other->lane & 1) return {};
  }
  return company;
}
Group company_of(const Group& wave, Lane& lane) {
  if (lane.stop == Stop::barrier) return {};
  if (lane.stop == Stop::masked && !setup.amd) return masked_company(wave, lane);
  const bool alone = setup.seed && !setup.amd && (lane.stop == Stop::access || lane.stop == Stop::atomic);
  if (alone) return {&lane};  // NVIDIA's lanes owe each other no lockstep
  Group company;
  for (Lane* other : wave)
    if (other->stop == lane.stop && other->place == lane.place) company.push_back(other);
  return company;
}

// One step of a wave; false where all of its lanes wait for others.
bool step(int number_of_wave) {
  Group wave;
  for (Lane& lane : block)
    if (lane.wave == number_of_wave && live(lane)) wave.push_back(&lane);
  Group order = wave;
  if (setup.seed && !setup.amd) std::shuffle(order.begin(), order.end(), dice);
  else std::stable_sort(order.begin(), order.end(), [](Lane* a, Lane* b) { return a->place < b->place; });
  if (!setup.amd)  // since Volta every lane gets its turn, whatever the others do
    std::stable_partition(order.begin(), order.end(), [](Lane* lane) { return turns - lane->last_turn > 4096; });
  for (Lane* lane : order) {
    const Group company = company_of(wave, *lane);
    if (company.empty()) continue;
    if (lane->stop == Stop::masked && setup.amd) go_on_by_mask(company);
    else go_on_together(company);
    return true;
  }
  return false;
}

std::string who_waits() {
  for (const Lane& lane : block)
    if (live(lane) && lane.stop != Stop::barrier) return named(lane) + " waits at " + lane.what;
  return "all wait";
}
bool open_barrier() {
  int sum = 0;
  std::vector<const Lane*> first(block.size(), nullptr);
  for (const Lane& lane : block) {
    if (!live(lane)) continue;
    if (lane.stop != Stop::barrier) return false;
    const Lane*& of_wave = first[static_cast<size_t>(lane.wave)];
    if (of_wave && of_wave->place != lane.place)
      end_run("divergent", named(lane) + " and " + named(*of_wave) + " wait at different " + lane.what);
    of_wave = &lane;
    sum += lane.predicate;
  }
  barrier_sum = sum;
  note_progress();
  for (Lane& lane : block)
    if (live(lane)) let_go_on(lane);
  return true;
}
void run_block() {
  const int waves = block.empty() ? 0 : block.back().wave + 1;
  while (std::any_of(block.begin(), block.end(), live)) {
    bool moved = false;
    const int start = setup.seed ? static_cast<int>(dice() % static_cast<unsigned>(waves)) : 0;
    for (int i = 0; i < waves; ++i) moved |= step((start + i) % waves);
    if (!moved && !open_barrier()) end_run("hang", who_waits() + " for lanes that do not come");
  }
}
void prepare_stacks() {
  if (stacks) return;
  const size_t size = stack_size * most_threads;
  void* space = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (space == MAP_FAILED) end_run("not run", "no memory for the lanes' stacks");
  stacks = static_cast<char*>(space);
  // The lowest page of each is closed: a lane that needs more must not write into its neighbour's.
  for (size_t i = 0; i < most_threads; ++i) mprotect(stacks + stack_size * i, 4096, PROT_NONE);
  dice.seed(setup.seed);
}
void start_block(uint3 index, dim3 size) {
  blockIdx = index;
  const unsigned threads = size.x * size.y * size.z;
  block = std::vector<Lane>(threads);
  for (unsigned i = 0; i < threads; ++i) {
    block[i].thread = {i % size.x, i / size.x % size.y, i / size.x / size.y};
    block[i].lane = static_cast<int>(i) % setup.wave;
    block[i].wave = static_cast<int>(i) / setup.wave;
    prepare(block[i]);
  }
}
bool is_coordinate(const void* address) {
  const void* const coordinates[] = {&threadIdx, &blockIdx, &blockDim, &gridDim};
  return std::any_of(std::begin(coordinates), std::end(coordinates), [=](const void* begin) {
    return address >= begin && address < static_cast<const char*>(begin) + sizeof(uint3);
  });
}
// A lane that spins touches what it has touched before, while no lane ends and no barrier opens.
void note_access(const void* address, const char* what) {
  Lane& me = *current;
  const auto lane_bits = static_cast<uintptr_t>(&me - block.data()) << 48;
  if (touched.insert(at(address) ^ lane_bits).second) ++news;
  if (me.last_news != news) me.accesses_without_news = 0;
  me.last_news = news;
  if (++me.accesses_without_news > patience) end_run("hang", named(me) + " spins at " + what + " and nothing changes");
}
void stop_at_access(const void* address, size_t size, const Here& here, Stop stop = Stop::access,
                    const char* what = "a memory access") {
  if (!current || is_coordinate(address)) return;
  const char* stack = stack_of(*current);
  if (address >= stack && address < stack + stack_size) return;
  std::string trouble;
  const bool shared = is_shared_between_lanes(address, size, &trouble);
  if (!trouble.empty()) end_run("out of bounds", named(*current) + ": " + trouble);
  if (!shared && stop != Stop::atomic) return;
  note_access(address, what);
  stop_lane(stop, what, here);
}
void enter_block(const Here& here) {
  if (!current) return;
  Frame& frame = frame_of(here);
  const uintptr_t before = frame.block;
  frame.block = here.at;
  if (here.at <= before) stop_lane(Stop::jump_back, "the end of a loop", {before, here.frame, here.caller});
}
void take(const void* value, size_t size) {
  std::memset(current->value, 0, widest_value);
  std::memcpy(current->value, value, size);
}
void require_lane(const char* what) {
  if (!current) end_run("not run", std::string(what) + " was called outside of a kernel");
}
}  // namespace

// ------------------------------------------------------------ what lanes.h names
__attribute__((noinline)) Meeting meet(const char* what, const void* value, size_t size) {
  require_lane(what);
  take(value, size);
  stop_lane(Stop::meet, what, HERE);
  return *meeting;
}
__attribute__((noinline)) Meeting meet_masked(const char* what, unsigned long long mask, const void* value,
                                              size_t size) {
  require_lane(what);
  if (!setup.amd && !(mask >> current->lane & 1))
    end_run("divergent", named(*current) + " calls " + what + " with mask " + hex(mask) + ", which does not have it");
  take(value, size);
  current->mask = mask;
  stop_lane(Stop::masked, what, HERE);
  return *meeting;
}
__attribute__((noinline)) int barrier(const char* what, int predicate) {
  require_lane(what);
  current->predicate = predicate;
  stop_lane(Stop::barrier, what, HERE);
  return barrier_sum;
}
__attribute__((noinline)) void stop_before_atomic(const char* what, void* address, size_t size) {
  stop_at_access(address, size, HERE, Stop::atomic, what);
}
int lane() {
  require_lane("a lane's number");
  return current->lane;
}
void leave_lane() { current = nullptr; }
bool is_in_lane_stacks(const void* address) {
  return stacks && address >= stacks && address < stacks + stack_size * most_threads;
}
void* dynamic_shared() { return dynamic_memory; }
void require_launch_bound(unsigned most) {
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  if (threads > most)
    end_run("launch failure", number(threads) + " threads for a kernel whose __launch_bounds__ allow " + number(most));
}
void launch(dim3 grid, dim3 size, size_t shared_bytes, void (*kernel)(const void*), const void* arguments) {
  const unsigned threads = size.x * size.y * size.z;
  if (!threads || threads > most_threads || grid.x * grid.y * grid.z == 0)
    end_run("launch failure", number(threads) + " threads in a block of " + number(grid.x * grid.y * grid.z));
  const size_t most_shared = setup.amd ? 65536 : 232448;
  if (shared_bytes > most_shared)
    end_run("launch failure", number(static_cast<long>(shared_bytes)) + " bytes of shared memory; there are " +
                                  number(static_cast<long>(most_shared)));
  prepare_stacks();
  gridDim = grid;
  blockDim = size;
  program = kernel;
  program_arguments = arguments;
  dynamic_memory = allocate(shared_bytes, "dynamic shared memory");
  for (unsigned i = 0; i < grid.x * grid.y * grid.z; ++i) {
    std::memset(dynamic_memory, garbage, shared_bytes);
    fill_shared_objects(garbage);
    start_block({i % grid.x, i / grid.x % grid.y, i / grid.x / grid.y}, size);
    run_block();
  }
  release(dynamic_memory);
}
}  // namespace lanes

// ------------------------------------------------------------ what the instrumentation calls
#define LANES_ACCESS(NAME, BYTES)                                                     \
  __attribute__((noinline)) void __tsan_##NAME(void* address) {                       \
    lanes::stop_at_access(address, BYTES, HERE);                                \
  }
#define LANES_ACCESSES(BYTES)               \
  LANES_ACCESS(read##BYTES, BYTES)          \
  LANES_ACCESS(write##BYTES, BYTES)         \
  LANES_ACCESS(unaligned_read##BYTES, BYTES) \
  LANES_ACCESS(unaligned_write##BYTES, BYTES)
extern "C" {
LANES_ACCESSES(1)
LANES_ACCESSES(2)
LANES_ACCESSES(4)
LANES_ACCESSES(8)
LANES_ACCESSES(16)
__attribute__((noinline)) void __tsan_read_range(void* address, size_t size) {
  lanes::stop_at_access(address, size, HERE);
}
__attribute__((noinline)) void __tsan_write_range(void* address, size_t size) {
  lanes::stop_at_access(address, size, HERE);
}
// clang's; g++ calls the plain ones.
__attribute__((noinline)) void* __tsan_memcpy(void* to, const void* from, size_t size) {
  lanes::stop_at_access(from, size, HERE);
  lanes::stop_at_access(to, size, HERE);
  return std::memcpy(to, from, size);
}
__attribute__((noinline)) void* __tsan_memmove(void* to, const void* from, size_t size) {
  lanes::stop_at_access(from, size, HERE);
  lanes::stop_at_access(to, size, HERE);
  return std::memmove(to, from, size);
}
__attribute__((noinline)) void* __tsan_memset(void* to, int value, size_t size) {
  lanes::stop_at_access(to, size, HERE);
  return std::memset(to, value, size);
}
void __tsan_init() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
__attribute__((noinline)) void __sanitizer_cov_trace_pc() { lanes::enter_block(HERE); }
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
}
