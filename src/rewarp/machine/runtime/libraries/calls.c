// What was called, written to the report when the program ends.
#include "calls.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static Calls *all;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// The runtime watches for memory that nobody wrote: what is written here it would not see.
static void tell_runtime(void) {
    static void (*wrote)(void);
    static int is_known;
    if (!is_known) wrote = (void (*)(void))dlsym(RTLD_DEFAULT, "rewarp_machine_wrote"), is_known = 1;
    if (wrote) wrote();
}

void count_call(Calls *calls) {
    tell_runtime();
    __atomic_fetch_add(&calls->count, 1, __ATOMIC_RELAXED);
    if (__atomic_load_n(&calls->listed, __ATOMIC_ACQUIRE)) return;
    pthread_mutex_lock(&lock);
    if (!calls->listed) {
        calls->next = all, all = calls;
        __atomic_store_n(&calls->listed, 1, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
}

static void append(const char *text, int size) {
    const char *path = getenv("REWARP_MACHINE_REPORT");
    int file = path && *path ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666) : -1;
    if (file < 0) return;
    if (write(file, text, size) < 0) perror("rewarp: the report");
    close(file);
}

__attribute__((destructor)) static void report(void) {
    for (Calls *one = all; one; one = one->next) {
        char line[512];
        append(line, snprintf(line, sizeof line, "{\"kind\": \"host\", \"library\": \"%s\", \"function\": \"%s\", \"calls\": %llu}\n",
                              one->library, one->function, (unsigned long long)one->count));
    }
}

void not_made(const char *library, const char *function) {
    char line[512];
    append(line, snprintf(line, sizeof line, "{\"kind\": \"missing\", \"library\": \"%s\", \"function\": \"%s\"}\n", library, function));
    fprintf(stderr, "rewarp: %s is not made: this stand-in for %s lacks it\n", function, library);
    abort();
}

void *room(size_t size) {
    void *found = malloc(size ? size : 1);
    if (found) return found;
    fprintf(stderr, "rewarp: no memory for %zu bytes\n", size);
    abort();
}

int is_capturing(void *stream) {
    static int (*asked)(void *, int *);
    if (!asked) asked = (int (*)(void *, int *))dlsym(RTLD_DEFAULT, "hipStreamIsCapturing");
    int status = 0;
    return asked && asked(stream, &status) == 0 && status == 1;
}
