/* What a program copies back from its GPU, and what stands in each allocation when it is freed: written to the file
 * that DEVICE_MEMORY names. Preloaded, over CUDA's runtime (libcudart, shared) or HIP's (-DHIP), which alike here:
 *
 *     gcc -shared -fPIC -O2 [-DHIP] device_memory.c -o libdevice_memory.so -ldl -lpthread
 *
 * Allocations are cleared, so that what nobody wrote is the same on both. A record is a line
 * "copy|free BYTES KEPT HASH" and KEPT bytes: all of it, or pieces that are spread evenly over it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HIP
#define API(name) hip##name
#else
#define API(name) cuda##name
#endif
#define TEXT(name) #name
#define EXPANDED(name) TEXT(name)
#define REAL(name) ((__typeof__(&name))real(EXPANDED(name)))

enum { TO_HOST = 2, BY_ADDRESS = 4, PIECES = 4, PIECE = 1024, ENTRIES = 4096 };
static const size_t CLEARED = 256 << 20, HASHED = 16 << 20, ROOM = 128 << 10;

int API(Malloc)(void **, size_t);
int API(MallocManaged)(void **, size_t, unsigned);
int API(Free)(void *);
int API(Memcpy)(void *, const void *, size_t, int);
int API(MemcpyAsync)(void *, const void *, size_t, int, void *);
int API(Memset)(void *, int, size_t);
int API(StreamSynchronize)(void *);
int API(StreamIsCapturing)(void *, int *);

static struct { char *at; size_t size; } held[ENTRIES];
static size_t written;
static int records;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *out;

static void *real(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) {
        fprintf(stderr, "device_memory: no %s\n", name);
        abort();
    }
    return found;
}

static uint64_t hash(const unsigned char *data, size_t size) {
    uint64_t value = 1469598103934665603u;
    for (size_t i = 0; i < size; i++) value = (value ^ data[i]) * 1099511628211u;
    return value;
}

/* `from` is the GPU's where `device` is set. */
static void record(const char *what, const void *from, size_t size, int device) {
    static unsigned char pieces[PIECES * PIECE];
    const unsigned char *bytes = from;
    unsigned char *whole = NULL;
    uint64_t value = 0;
    size_t kept = size < sizeof pieces ? size : sizeof pieces;
    if (!out || !size) return;
    if (device && size <= HASHED) {
        whole = malloc(size);
        if (!whole || REAL(API(Memcpy))(whole, from, size, TO_HOST)) { free(whole); return; }
        bytes = whole;
        device = 0;
    }
    if (!device && size <= HASHED) value = hash(bytes, size);
    for (size_t i = 0; i < PIECES; i++) {
        size_t length = size <= sizeof pieces ? (i ? 0 : size) : PIECE;
        size_t offset = size <= sizeof pieces ? 0 : (size - PIECE) / (PIECES - 1) * i / 16 * 16;
        if (!device) memcpy(pieces + i * PIECE, bytes + offset, length);
        else if (REAL(API(Memcpy))(pieces + i * PIECE, bytes + offset, length, TO_HOST)) return;
    }
    free(whole);
    if (written + kept > ROOM) kept = 0;
    written += kept;
    if (records++ >= 2000) return;
    fprintf(out, "%s %zu %zu %016lx\n", what, size, kept, (unsigned long)value);
    fwrite(pieces, 1, kept, out);
    fflush(out);
}

static void at_end(void) {
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < ENTRIES; i++)
        if (held[i].at) record("free", held[i].at, held[i].size, 1);
    pthread_mutex_unlock(&lock);
}

static void remember(void *at, size_t size, int clear) {
    pthread_mutex_lock(&lock);
    if (!out) {
        const char *file = getenv("DEVICE_MEMORY");
        out = file ? fopen(file, "wb") : NULL;
        if (out) atexit(at_end);
    }
    if (clear && size <= CLEARED) REAL(API(Memset))(at, 0, size);
    for (size_t i = 0; i < ENTRIES; i++)
        if (!held[i].at) {
            held[i].at = at;
            held[i].size = size;
            break;
        }
    pthread_mutex_unlock(&lock);
}

/* The allocation that an address lies in. */
static size_t find(const void *address) {
    size_t i = 0;
    while (i < ENTRIES && !(held[i].at && (char *)address >= held[i].at && (char *)address < held[i].at + held[i].size)) i++;
    return i;
}

static int to_host(void *to, const void *from, int kind) {
    return kind == TO_HOST || (kind == BY_ADDRESS && find(from) < ENTRIES && find(to) == ENTRIES);
}

int API(Malloc)(void **at, size_t size) {
    int status = REAL(API(Malloc))(at, size);
    if (!status && size) remember(*at, size, 1);
    return status;
}

int API(MallocManaged)(void **at, size_t size, unsigned flags) {
    int status = REAL(API(MallocManaged))(at, size, flags);
    if (!status && size) remember(*at, size, 0);
    return status;
}

int API(Free)(void *at) {
    pthread_mutex_lock(&lock);
    size_t i = at ? find(at) : ENTRIES;
    if (i < ENTRIES && held[i].at == at) {
        record("free", at, held[i].size, 1);
        held[i].at = NULL;
    }
    pthread_mutex_unlock(&lock);
    return REAL(API(Free))(at);
}

int API(Memcpy)(void *to, const void *from, size_t size, int kind) {
    int status = REAL(API(Memcpy))(to, from, size, kind);
    pthread_mutex_lock(&lock);
    if (!status && to_host(to, from, kind)) record("copy", to, size, 0);
    pthread_mutex_unlock(&lock);
    return status;
}

int API(MemcpyAsync)(void *to, const void *from, size_t size, int kind, void *stream) {
    int status = REAL(API(MemcpyAsync))(to, from, size, kind, stream), capturing = 0;
    pthread_mutex_lock(&lock);
    if (!status && to_host(to, from, kind)) {
        if (stream && REAL(API(StreamIsCapturing))(stream, &capturing)) capturing = 1;
        if (!capturing && !REAL(API(StreamSynchronize))(stream)) record("copy", to, size, 0);
    }
    pthread_mutex_unlock(&lock);
    return status;
}
