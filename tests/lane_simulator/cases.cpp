// Runs cases, each in a process of its own, and says in JSON what became of them.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "runtime.h"

namespace lanes {
Setup setup = {false, 32, true, 0};
namespace {
const unsigned time_limit = 20;  // seconds, for code that loops without a stop
const char* current_case = "";

void on_signal(int signal, siginfo_t* info, void*) {
  if (signal == SIGALRM) end_run("hang", "no end in " + std::to_string(time_limit) + " s");
  if (signal == SIGFPE) end_run("not run", "a division by zero, which a GPU does not stop at");
  if (signal == SIGABRT || signal == SIGILL || signal == SIGTRAP) end_run("trap", "the kernel stopped itself");
  if (is_in_lane_stacks(info->si_addr)) end_run("not run", "a lane's own variables need more space than it has here");
  end_run("out of bounds", "an access to memory that is not there");
}
void catch_signals() {
  static char own_stack[64 * 1024];
  stack_t stack = {};
  stack.ss_sp = own_stack;
  stack.ss_size = sizeof own_stack;
  sigaltstack(&stack, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_ONSTACK | SA_SIGINFO;
  for (const int signal : {SIGALRM, SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL, SIGTRAP})
    sigaction(signal, &action, nullptr);
  alarm(time_limit);
}
void run_one(const Case& one) {
  current_case = one.name;
  catch_signals();
  Arguments arguments;
  one.run(arguments);
  end_run("ok", "");
}
void say_not_run(int status) {
  std::printf("\n{\"case\": \"%s\", \"outcome\": \"not run\", \"detail\": \"its process ended with status %d\"}\n",
              current_case, status);
  std::fflush(stdout);
}
}  // namespace

// A process runs one case: these are its buffers.
static std::vector<Arguments::Kept>& kept_buffers() {
  static std::vector<Arguments::Kept> buffers;
  return buffers;
}
void Arguments::keep(const Kept& buffer) { kept_buffers().push_back(buffer); }
void Arguments::print(double value) {
  if (std::isnan(value)) std::printf("NaN");
  else if (std::isinf(value)) std::printf(value < 0 ? "-Infinity" : "Infinity");
  else std::printf("%.17g", value);
}
void Arguments::print(float value) {
  if (std::isfinite(value)) std::printf("%.9g", static_cast<double>(value));
  else print(static_cast<double>(value));
}
void Arguments::print(long long value) { std::printf("%lld", value); }
void Arguments::print(unsigned long long value) { std::printf("%llu", value); }
static void print_buffers() {
  const char* separator = "";
  for (const Arguments::Kept& buffer : kept_buffers()) {
    std::printf("%s\"%s\": [", separator, buffer.name);
    for (size_t i = 0; i < buffer.count; ++i) {
      if (i) std::printf(", ");
      buffer.print(buffer.data, i);
    }
    std::printf("]");
    separator = ", ";
  }
}

void end_run(const char* outcome, const std::string& detail) {
  leave_lane();
  // What a kernel printed may have left its line open.
  std::printf("\n{\"case\": \"%s\", \"outcome\": \"%s\", \"detail\": \"%s\", ", current_case, outcome,
              detail.c_str());
  std::printf("\"reads_from_absent_lanes\": %ld, \"buffers\": {", reads_from_absent_lanes());
  if (!std::strcmp(outcome, "ok")) print_buffers();
  std::printf("}}\n");
  std::fflush(stdout);
  _exit(0);
}

int run_cases(const Case* cases, size_t count, bool amd, int wave, int argc, char** argv) {
  const bool checked = !(argc > 1 && !std::strcmp(argv[1], "unchecked"));
  const unsigned seed = argc > 2 ? static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10)) : 0;
  setup = {amd, wave, checked, seed};
  read_symbols();
  for (size_t i = 0; i < count; ++i) {
    const auto is_this = [&](const char* name) { return !std::strcmp(name, cases[i].name); };
    if (argc > 3 && std::none_of(argv + 3, argv + argc, is_this)) continue;
    current_case = cases[i].name;
    const pid_t child = fork();
    if (child == 0) run_one(cases[i]);
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0) say_not_run(status);
  }
  return 0;
}
}  // namespace lanes
