// Code: fat binaries that host code registers, modules that it loads. Translated on first use, in a process of its own, and
// kept in the cache by content.
#include "state.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static pthread_mutex_t lock;
Module *modules;
void digest_of(const void *data, u64 size, char hex[65]);

__attribute__((constructor)) static void make_lock(void) {
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock, &kind);
}

// --- the machine -------------------------------------------------------------------------------

static const char *own_folder(void) {
    static char folder[4096];
    Dl_info info;
    if (!folder[0] && dladdr((void *)own_folder, &info)) {
        snprintf(folder, sizeof folder, "%s", info.dli_fname);
        char *slash = strrchr(folder, '/');
        if (slash) *slash = 0;
        else snprintf(folder, sizeof folder, ".");
    }
    return folder;
}

// The cache: the one that this library lies in, unless the environment names another, as for a sandbox.
static const char *cache(void) {
    static char folder[4300];
    const char *named = getenv("REWARP_CACHE_DIR");
    if (named && *named) return named;
    snprintf(folder, sizeof folder, "%s/../../..", own_folder());
    return folder;
}

// What was compiled for this processor by this compiler.
static const char *compiled_folder(void) {
    static char folder[8700];
    char own[4200];
    snprintf(own, sizeof own, "%s", own_folder());
    char *slash = strrchr(own, '/');
    if (slash) *slash = 0;
    slash = strrchr(own, '/');
    snprintf(folder, sizeof folder, "%s/machine/%s", cache(), slash ? slash + 1 : own);
    return folder;
}

static const char *machine_folder(void) {
    static char folder[8800];
    snprintf(folder, sizeof folder, "%s/%d", compiled_folder(), card()->lanes);
    return folder;
}

static const char *images_folder(void) {
    static char folder[13000];
    if (!folder[0]) {
        snprintf(folder, sizeof folder, "%s/%s/images", compiled_folder(), strrchr(own_folder(), '/') ? strrchr(own_folder(), '/') + 1 : "hip");
        for (char *at = folder + 1; *at; at++)
            if (*at == '/') *at = 0, mkdir(folder, 0777), *at = '/';
        mkdir(folder, 0777);
    }
    return folder;
}

const Core *core(void) {
    static Core found;
    static int is_there;
    pthread_mutex_lock(&lock);
    if (!is_there) {
        char path[4400];
        snprintf(path, sizeof path, "%s/../%d/core.so", own_folder(), card()->lanes);
        void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (!handle) {
            char why[512];
            snprintf(why, sizeof why, "the machine cannot be loaded: %s", dlerror());
            tell_unsupported("", why);
            exit(127);
        }
#define GET(field, name) *(void **)&found.field = dlsym(handle, name)
        GET(load, "machine_load"), GET(kernel, "machine_kernel"), GET(kernel_at, "machine_kernel_at");
        GET(arguments, "machine_arguments"), GET(string, "machine_string"), GET(symbol, "machine_symbol");
        GET(place, "machine_place"), GET(instruction, "machine_instruction"), GET(block, "machine_block");
        GET(launch, "machine_launch");
        is_there = 1;
    }
    pthread_mutex_unlock(&lock);
    return &found;
}

// --- translating -------------------------------------------------------------------------------

static int first_line(const char *path, char *line, int size) {
    FILE *file = fopen(path, "r");
    int fine = file && fgets(line, size, file);
    if (file) fclose(file);
    if (fine) line[strcspn(line, "\n")] = 0;
    return fine;
}

static hipError_t start_translator(const char *how, const char *input, const char *output) {
    char path[4200], python[4096];
    snprintf(path, sizeof path, "%s/python", own_folder());
    const char *chosen = getenv("REWARP_MACHINE_PYTHON");
    if (!chosen && first_line(path, python, sizeof python)) chosen = python;
    if (!chosen) {
        say("no Python is known that has rewarp: REWARP_MACHINE_PYTHON may name one");
        return hipErrorSharedObjectInitFailed;
    }
    const char *arguments[] = {chosen, "-I", "-m", "rewarp.machine.runtime.translator", how, card()->arch, cache(), input, output, 0};
    pid_t child;
    int status;
    if (posix_spawn(&child, chosen, 0, 0, (char *const *)arguments, environ)) {
        say("%s cannot be started", chosen);
        return hipErrorSharedObjectInitFailed;
    }
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return hipErrorUnknown;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? hipSuccess : hipErrorInvalidImage;
}

// Where the translation of a content is; made if it is not there yet. The caller frees the path.
hipError_t translate(const char *how, const void *content, u64 size, char **path) {
    char hex[65], input[13100];
    const char *folder = images_folder();
    digest_of(content, size, hex);
    if (asprintf(path, "%s/%s-%s-%s", folder, hex, how, card()->arch) < 0) return hipErrorOutOfMemory;
    if (!access(*path, R_OK)) return hipSuccess;
    snprintf(input, sizeof input, "%s/XXXXXX", folder);
    int file = mkstemp(input);
    if (file < 0) {
        say("%s cannot be written", folder);
        return hipErrorOperatingSystem;
    }
    u64 written = 0;
    while (written < size) {
        i64 more = write(file, (const u8 *)content + written, size - written);
        if (more <= 0) break;
        written += (u64)more;
    }
    close(file);
    hipError_t error = written == size ? start_translator(how, input, *path) : hipErrorOperatingSystem;
    unlink(input);
    return error;
}

static u8 *read_file(const char *path, u64 *size) {
    FILE *file = fopen(path, "rb");
    struct stat about;
    u8 *data = 0;
    if (file && !fstat(fileno(file), &about) && (data = malloc((u64)about.st_size + 1))) {
        *size = fread(data, 1, (u64)about.st_size, file);
        data[*size] = 0;
    }
    if (file) fclose(file);
    return data;
}

// How long a content is that only its address is known of: a bundle, an ELF file, assembly.
static u64 size_of_content(const u8 *c) {
    u64 size = 0;
    if (!memcmp(c, "__CLANG_OFFLOAD_BUNDLE__", 24)) {
        const u8 *at = c + 32;
        for (u64 n = *(u64 *)(c + 24); n--;) {
            u64 end = ((u64 *)at)[0] + ((u64 *)at)[1];
            if (end > size) size = end;
            at += 24 + ((u64 *)at)[2];
        }
        return size;
    }
    if (!memcmp(c, "CCOB", 4)) return *(u16 *)(c + 4) >= 3 ? *(u64 *)(c + 8) : *(u16 *)(c + 4) == 2 ? *(u32 *)(c + 8) : 0;
    if (!memcmp(c, "\177ELF", 4)) return *(u64 *)(c + 40) + (u64)(*(u16 *)(c + 58)) * *(u16 *)(c + 60);
    return strlen((const char *)c);
}

// The program of a content; null with the reason in `failed`.
static Program *load_content(const u8 *content, hipError_t *failed) {
    char *path = 0, error[512] = "";
    u64 size = size_of_content(content);
    Program *made = 0;
    // What an image needs may be gone from the cache: then it is made again, once.
    for (int tries = 0; !made && tries < 2; tries++) {
        free(path);
        *failed = size ? translate("image", content, size, &path) : hipErrorInvalidImage;
        if (*failed != hipSuccess) break;
        u64 image_size;
        u8 *image = read_file(path, &image_size);
        made = image ? core()->load(image, image_size, machine_folder(), error, sizeof error) : 0;
        free(image);
        if (!made) unlink(path), *failed = hipErrorInvalidImage;
    }
    if (!made && error[0]) say("%s", error);
    free(path);
    return made;
}

hipError_t use_module(Module *m) {
    pthread_mutex_lock(&lock);
    if (!m->program && m->failed == hipSuccess) m->program = load_content(m->content, &m->failed);
    pthread_mutex_unlock(&lock);
    return m->failed;
}

Module *new_module(const void *content) {
    Module *m = calloc(1, sizeof *m);
    m->content = content;
    pthread_mutex_lock(&lock);
    m->next = modules, modules = m;
    pthread_mutex_unlock(&lock);
    return m;
}

hipError_t find_function(Module *m, const char *name, Function **found) {
    hipError_t error = use_module(m);
    if (error != hipSuccess) return error;
    pthread_mutex_lock(&lock);
    Function *f = m->functions;
    while (f && strcmp(f->name, name)) f = f->next;
    if (!f) {
        u32 number;
        const Kernel *kernel = core()->kernel(m->program, name, &number);
        if (kernel) {
            f = calloc(1, sizeof *f);
            f->module = m, f->kernel = kernel, f->name = core()->string(m->program, kernel->name), f->number = number;
            f->next = m->functions, m->functions = f;
        }
    }
    pthread_mutex_unlock(&lock);
    *found = f;
    return f ? hipSuccess : hipErrorNotFound;
}

// --- what host code registers ------------------------------------------------------------------

typedef struct Wrapper { u32 magic, version; const void *binary, *unused; } Wrapper;
typedef struct Stub {
    const void *host;
    Module *module;
    const char *name;
    Function *function;
    int is_told;  // that it cannot be loaded
} Stub;
typedef struct Variable {
    void *host;
    Module *module;
    const char *name;
    u64 size;
    void **managed;  // the pointer through which host code sees it
} Variable;
static Stub *stubs;
static Variable *variables;
static u64 stub_count, variable_count;

API void **__hipRegisterFatBinary(const void *wrapper) {
    const Wrapper *w = wrapper;
    Module *m = new_module(w->binary);
    return (void **)m;
}
API void __hipUnregisterFatBinary(void **module) {}

API void __hipRegisterFunction(void **module, const void *host, char *device, const char *name, unsigned limit, void *a, void *b, void *c, void *d, int *e) {
    pthread_mutex_lock(&lock);
    if (!(stub_count & (stub_count - 1))) stubs = realloc(stubs, (stub_count * 2 + 1) * sizeof *stubs);
    stubs[stub_count++] = (Stub){host, (Module *)module, name, 0};
    pthread_mutex_unlock(&lock);
}
static void add_host_variable(Variable v) {
    pthread_mutex_lock(&lock);
    if (!(variable_count & (variable_count - 1))) variables = realloc(variables, (variable_count * 2 + 1) * sizeof *variables);
    variables[variable_count++] = v;
    pthread_mutex_unlock(&lock);
}
API void __hipRegisterVar(void **module, void *host, char *host_name, char *name, int external, size_t size, int constant, int global) {
    add_host_variable((Variable){host, (Module *)module, name, size, 0});
}
// Host and device see one piece of memory, through a pointer on either side.
API void __hipRegisterManagedVar(void *module, void **pointer, void *initial, const char *name, size_t size, unsigned align) {
    void *data = 0;
    if (allocate(&data, size, MANAGED, 0, "a managed variable") != hipSuccess) return;
    memcpy(data, initial, size);
    *pointer = data;
    add_host_variable((Variable){pointer, module, name, size, (void **)data});
}
API void __hipRegisterTexture(void **module, void *host, char *host_name, char *name, int type, int normalized, int external) {}
API void __hipRegisterSurface(void **module, void *host, char *host_name, char *name, int type, int external) {}

// The device's own pointers to managed variables, as soon as its code is there.
static void set_managed(Module *m) {
    for (u64 n = 0; n < variable_count; n++) {
        if (variables[n].module != m || !variables[n].managed) continue;
        u64 place = core()->symbol(m->program, variables[n].name, 0);
        void *data = variables[n].managed;
        if (place) memcpy((void *)place, &data, 8);
    }
}

hipError_t function_of(const void *host, Function **found) {
    pthread_mutex_lock(&lock);
    hipError_t error = hipErrorInvalidDeviceFunction;
    for (u64 n = 0; n < stub_count; n++) {
        if (stubs[n].host != host) continue;
        error = hipSuccess;
        if (!stubs[n].function) {
            error = find_function(stubs[n].module, stubs[n].name, &stubs[n].function);
            if (error == hipSuccess) set_managed(stubs[n].module);
            else if (!stubs[n].is_told) stubs[n].is_told = 1, tell_unloaded(stubs[n].name);
        }
        *found = stubs[n].function;
        break;
    }
    for (Module *m = error == hipErrorInvalidDeviceFunction ? modules : 0; m; m = m->next)
        for (Function *f = m->functions; f; f = f->next)
            if (f == host) *found = f, error = hipSuccess;
    pthread_mutex_unlock(&lock);
    return error == hipErrorNotFound ? hipErrorInvalidDeviceFunction : error;
}

static hipError_t symbol_place(const void *host, u64 *place, u64 *size) {
    for (u64 n = 0; n < variable_count; n++) {
        Variable *v = &variables[n];
        if (v->host != host) continue;
        *size = v->size;
        if (v->managed) {
            *place = (u64)v->managed;
            return hipSuccess;
        }
        TRY(use_module(v->module));
        u64 device_size;
        if (!(*place = core()->symbol(v->module->program, v->name, &device_size))) return hipErrorInvalidSymbol;
        if (!allocation_of((void *)*place)) add_variable(*place, v->size, v->name);
        return hipSuccess;
    }
    return hipErrorInvalidSymbol;
}

API hipError_t hipGetSymbolAddress(void **pointer, const void *symbol) {
    u64 place, size;
    CHECK(pointer, hipErrorInvalidValue);
    TRY(symbol_place(symbol, &place, &size));
    *pointer = (void *)place;
    return hipSuccess;
}
API hipError_t hipGetSymbolSize(size_t *found, const void *symbol) {
    u64 place, size;
    CHECK(found, hipErrorInvalidValue);
    TRY(symbol_place(symbol, &place, &size));
    *found = size;
    return hipSuccess;
}
API hipError_t hipMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset, hipMemcpyKind kind, hipStream_t stream) {
    u64 place, size;
    TRY(symbol_place(symbol, &place, &size));
    CHECK(offset <= size && bytes <= size - offset, hipErrorInvalidValue);
    return hipMemcpyAsync((u8 *)place + offset, from, bytes, kind, stream);
}
API hipError_t hipMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset, hipMemcpyKind kind) {
    return hipMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, 0);
}
API hipError_t hipMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset, hipMemcpyKind kind, hipStream_t stream) {
    u64 place, size;
    TRY(symbol_place(symbol, &place, &size));
    CHECK(offset <= size && bytes <= size - offset, hipErrorInvalidValue);
    return hipMemcpyAsync(to, (u8 *)place + offset, bytes, kind, stream);
}
API hipError_t hipMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, hipMemcpyKind kind) {
    return hipMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, 0);
}

// --- modules that a program loads --------------------------------------------------------------

static hipError_t load_module(hipModule_t *made, u8 *owned, const void *content) {
    Module *m = new_module(content);
    m->owned = owned;
    hipError_t error = use_module(m);
    if (error == hipSuccess) *made = m;
    return said(error);
}
API hipError_t hipModuleLoad(hipModule_t *made, const char *path) {
    CHECK(made && path, hipErrorInvalidValue);
    u64 size;
    u8 *content = read_file(path, &size);
    CHECK(content, hipErrorFileNotFound);
    return load_module(made, content, content);
}
API hipError_t hipModuleLoadData(hipModule_t *made, const void *image) {
    CHECK(made && image, hipErrorInvalidValue);
    // It may be gone before it is looked at again.
    u64 size = size_of_content(image);
    u8 *copy = calloc(1, size + 1);
    memcpy(copy, image, size);
    return load_module(made, copy, copy);
}
API hipError_t hipModuleLoadDataEx(hipModule_t *made, const void *image, unsigned n, hipJitOption *options, void **values) {
    return hipModuleLoadData(made, image);
}
API hipError_t hipModuleUnload(hipModule_t module) {
    CHECK(module, hipErrorInvalidHandle);
    return hipSuccess;  // what was seen of its kernels is told at the end
}
API hipError_t hipModuleGetFunction(hipFunction_t *found, hipModule_t module, const char *name) {
    CHECK(found && module && name, hipErrorInvalidValue);
    return said(find_function(module, name, found));
}
API hipError_t hipModuleGetGlobal(hipDeviceptr_t *pointer, size_t *bytes, hipModule_t module, const char *name) {
    CHECK(module && name, hipErrorInvalidValue);
    TRY(use_module(module));
    u64 size = 0, place = core()->symbol(module->program, name, &size);
    CHECK(place, hipErrorNotFound);
    if (!allocation_of((void *)place)) add_variable(place, size, name);
    if (pointer) *pointer = (void *)place;
    if (bytes) *bytes = size;
    return hipSuccess;
}
API hipError_t hipGetFuncBySymbol(hipFunction_t *found, const void *symbol) {
    CHECK(found, hipErrorInvalidValue);
    return said(function_of(symbol, found));
}
API const char *hipKernelNameRef(const hipFunction_t f) { return f ? f->name : 0; }
API const char *hipKernelNameRefByPtr(const void *host, hipStream_t stream) {
    Function *f = 0;
    return function_of(host, &f) == hipSuccess ? f->name : 0;
}
