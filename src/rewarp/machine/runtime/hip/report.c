// What was seen: lines for the user, and a file of JSON lines for the caller.
#include "state.h"
#include <signal.h>
#include <stdarg.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile sig_atomic_t interrupted;

void say(const char *form, ...) {
    char line[4096];
    va_list list;
    va_start(list, form);
    int size = snprintf(line, sizeof line, "rewarp: ");
    size += vsnprintf(line + size, sizeof line - (u64)size - 1, form, list);
    va_end(list);
    if (size > (int)sizeof line - 2) size = sizeof line - 2;
    line[size++] = '\n';
    if (write(2, line, (u64)size) < 0) return;
}

static void quoted(FILE *to, const char *text) {
    fputc('"', to);
    for (const u8 *c = (const u8 *)(text ? text : ""); *c; c++) {
        if (*c == '"' || *c == '\\') fputc('\\', to), fputc(*c, to);
        else if (*c < 32) fprintf(to, "\\u%04x", *c);
        else fputc(*c, to);
    }
    fputc('"', to);
}

// One line, appended whole: the libraries beside this one write to the same file.
static void append(char *line, u64 size) {
    FILE *file = settings()->report ? fopen(settings()->report, "ab") : 0;
    if (!file) return;
    fwrite(line, 1, size, file);
    fclose(file);
}
#define LINE(...) do { \
    char *line_ = 0; size_t size_ = 0; \
    FILE *to = open_memstream(&line_, &size_); \
    __VA_ARGS__; \
    fputs("}\n", to); \
    fclose(to); \
    append(line_, size_); \
    free(line_); \
} while (0)

hipError_t missing(const char *function) {
    static const char *told[256];
    static u32 count;
    pthread_mutex_lock(&lock);
    u32 n = 0;
    while (n < count && strcmp(told[n], function)) n++;
    if (n == count && count < 256) {
        told[count++] = function;
        say("%s is not made", function);
        LINE(fputs("{\"kind\": \"missing\", \"function\": ", to), quoted(to, function));
    }
    pthread_mutex_unlock(&lock);
    return said(hipErrorNotSupported);
}

void tell_unsupported(const char *kernel, const char *why) {
    pthread_mutex_lock(&lock);
    if (*kernel) say("%s: %s", kernel, why);
    else say("%s", why);
    LINE(fputs("{\"kind\": \"unsupported\", \"kernel\": ", to), quoted(to, kernel), fputs(", \"instruction\": ", to), quoted(to, why));
    pthread_mutex_unlock(&lock);
}

void tell_unloaded(const char *kernel) {
    char why[200];
    snprintf(why, sizeof why, "not loaded: the program's code for %s cannot be read, or it has none", card()->arch);
    tell_unsupported(kernel, why);
}

void tell_limit(const char *kernel, const char *text) {
    pthread_mutex_lock(&lock);
    say("%s", text);
    LINE(fputs("{\"kind\": \"limit\", \"kernel\": ", to), quoted(to, kernel), fputs(", \"text\": ", to), quoted(to, text));
    pthread_mutex_unlock(&lock);
}

// --- what was seen by those who watched ----------------------------------------------------------

enum { MOST_SEEN = 1000 };

// A launch knows what lies side by side, such as the program's variables, as one.
static Seen named(Seen s) {
    Allocation *a = s.range == ~0u ? 0 : allocation_of((void *)s.address);
    if (a) s.range = a->number, s.offset = s.address - a->start;
    return s;
}

void keep_seen(Function *f, const Request *r) {
    pthread_mutex_lock(&lock);
    f->seen_forgotten += r->seen_forgotten;
    for (u64 n = 0; n < r->seen_count; n++) {
        Seen *one = &r->seen[n];
        u64 at = 0;
        while (at < f->seen_count && (f->seen[at].kind != one->kind || f->seen[at].op != one->op || f->seen[at].other_op != one->other_op)) at++;
        if (at < f->seen_count) f->seen[at].count += one->count;
        else if (at == MOST_SEEN) f->seen_forgotten++;
        else {
            if (!(at & (at - 1))) f->seen = realloc(f->seen, (at * 2 + 1) * sizeof *f->seen);
            f->seen[f->seen_count++] = named(*one);
        }
    }
    pthread_mutex_unlock(&lock);
}

static void tell_side(FILE *to, const Function *f, u32 op, const u32 *group, u32 wave) {
    const char *file = "";
    u32 line = 0;
    core()->place(f->module->program, op, &file, &line);
    fputs("\"file\": ", to), quoted(to, file);
    fprintf(to, ", \"line\": %u, \"group\": [%u, %u, %u], \"wave\": %u, \"instruction\": ", line, group[0], group[1], group[2], wave);
    quoted(to, core()->instruction(f->module->program, op));
}

static void tell_seen(const Function *f) {
    for (u64 n = 0; n < f->seen_count; n++) {
        const Seen *s = &f->seen[n];
        LINE(fprintf(to, "{\"kind\": \"alarm\", \"seen\": %u, \"how\": %u, \"lane\": %u, \"offset\": %lu, \"size\": %lu, \"count\": %lu, ",
                     s->kind, s->how, s->lane, s->offset, s->size, s->count),
             fputs("\"kernel\": ", to), quoted(to, f->name), fputs(", \"memory\": ", to), quoted(to, range_name(s->range)),
             fputs(", ", to), tell_side(to, f, s->op, s->group, s->wave),
             s->other_op == ~0u ? (void)0 : (fputs(", \"other\": {", to), tell_side(to, f, s->other_op, s->other_group, s->other_wave), (void)fputs("}", to)));
    }
    if (f->seen_forgotten)
        LINE(fprintf(to, "{\"kind\": \"forgotten\", \"count\": %lu, \"kernel\": ", f->seen_forgotten), quoted(to, f->name));
}

static void tell_kernels(void) {
    for (Module *m = modules; m; m = m->next)
        for (Function *f = m->functions; f; f = f->next) tell_seen(f);
    for (Module *m = modules; m; m = m->next)
        for (Function *f = m->functions; f; f = f->next)
            if (f->launches)
                LINE(fputs("{\"kind\": \"kernel\", \"name\": ", to), quoted(to, f->name),
                     fprintf(to, ", \"launches\": %lu, \"waves\": %lu, \"seconds\": %.6f", f->launches, f->waves, f->seconds));
}

// For those who count, in the same process.
API void rewarp_machine_kernels(void (*each)(const char *, u64)) {
    for (Module *m = modules; m; m = m->next)
        for (Function *f = m->functions; f; f = f->next)
            if (f->launches) each(f->name, f->launches);
}

__attribute__((destructor)) static void at_end(void) { tell_kernels(); }

static void tell_alarm(Function *f, const Request *r) {
    static const char *what[] = {
        [REASON_FAULT] = "out-of-bounds", [REASON_TRAP] = "trap", [REASON_ENDLESS] = "endless", [REASON_MEMORY] = "memory",
        [REASON_DEADLOCK] = "deadlock",
    };
    const char *file = "", *text = core()->instruction(f->module->program, r->op);
    u32 line = 0;
    core()->place(f->module->program, r->op, &file, &line);
    if (r->reason == REASON_UNKNOWN || r->reason == REASON_REFUSED) {
        tell_unsupported(f->name, r->why);
        return;
    }
    say("%s: %s; workgroup (%u, %u, %u), wave %u, lane %u: %s (%s:%u)", f->name, r->why, r->group[0], r->group[1], r->group[2],
        r->wave, r->lane, text, file, line);
    LINE(fprintf(to, "{\"kind\": \"alarm\", \"what\": \"%s\", \"kernel\": ", what[r->reason]),
         quoted(to, f->name), fputs(", \"file\": ", to), quoted(to, file), fprintf(to, ", \"line\": %u, \"instruction\": ", line),
         quoted(to, text), fprintf(to, ", \"group\": [%u, %u, %u], \"wave\": %u, \"lane\": %u, \"text\": ", r->group[0], r->group[1], r->group[2], r->wave, r->lane),
         quoted(to, r->why), fputs(", \"count\": 1", to));
}

// As it would have ended without us. Raised in this thread: one that is sent to the process may come after the exit below.
__attribute__((noreturn)) static void end_by_signal(void) {
    signal(interrupted, SIG_DFL), raise(interrupted);
    _exit(128 + interrupted);
}

// A card's fault ends the process; so does this.
void give_up(Function *f, const Request *r) {
    fflush(0);
    if (r->reason != REASON_STOPPED) tell_alarm(f, r);
    tell_kernels();
    if (r->reason == REASON_STOPPED) end_by_signal();
    _exit(134);
}

// --- long launches -----------------------------------------------------------------------------

static struct { const Function *function; Request *request; double start; } running;

static void show(double passed) {
    Request *r = running.request;
    u64 done = __atomic_load_n(&r->done, 5), all = r->groups;
    char left[64] = "";
    if (done) snprintf(left, sizeof left, ", about %.0f s left", passed / (double)done * (double)(all - done));
    char line[400];
    int size = snprintf(line, sizeof line, "\r\033[Krewarp: %.200s: %lu of %lu workgroups after %.0f s%s", running.function->name, done, all, passed, left);
    if (write(2, line, (u64)size) < 0) return;
}

static void *look(void *nothing) {
    int shown = 0;
    for (;;) {
        usleep(interrupted ? 1000 : 200000);
        pthread_mutex_lock(&lock);
        double passed = running.request ? now() - running.start : 0;
        if (interrupted && running.request) running.request->stop = 1;
        if (interrupted && !running.request) tell_kernels(), end_by_signal();
        if (running.request && settings()->progress && passed > 2) show(passed), shown = 1;
        else if (shown && write(2, "\r\033[K", 4) >= 0) shown = 0;
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

static void on_signal(int signal) { interrupted = signal; }

// What was seen is told before the end, unless the program has its own way with a signal.
static void start_looking(void) {
    static const int signals[] = {SIGINT, SIGTERM, SIGXCPU};  // the last: a limit of the processor's time
    struct sigaction before, mine = {.sa_handler = on_signal};
    pthread_t thread;
    for (int n = 0; n < 3 && settings()->report; n++)
        if (!sigaction(signals[n], 0, &before) && before.sa_handler == SIG_DFL) sigaction(signals[n], &mine, 0);
    if (!pthread_create(&thread, 0, look, 0)) pthread_detach(thread);
}

void watch_launch(const Function *f, Request *r) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (settings()->report || settings()->progress) pthread_once(&once, start_looking);
    pthread_mutex_lock(&lock);
    running.function = f, running.request = r, running.start = r ? now() : 0;
    pthread_mutex_unlock(&lock);
}
