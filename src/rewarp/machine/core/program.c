// Loads images: code with the addresses of its functions, data in memory, symbols.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "program.h"
#include "watch.h"

static const u64 SIZES[SECTIONS] = {
    1, 4, sizeof(Function), sizeof(Op), sizeof(Where), 4, sizeof(Fixup), sizeof(Stored), sizeof(Relocation),
    sizeof(Symbol), sizeof(Kernel), sizeof(Piece), sizeof(Format), sizeof(Unknown), sizeof(Record),
};

static int is_whole(const u8 *image, u64 size) {
    const Header *h = (const Header *)image;
    if (size < sizeof *h || memcmp(h->magic, "REWARP01", 8) || h->lanes != LANES || h->size_of_op != sizeof(Op)) return 0;
    for (int n = 0; n < SECTIONS; n++)
        if (h->sections[n].offset > size || h->sections[n].count > (size - h->sections[n].offset) / SIZES[n]) return 0;
    return h->sections[SECTION_STRINGS].count > 0 && h->sections[SECTION_RECORDS].count == h->sections[SECTION_OPS].count;
}

const char *machine_string(const Program *p, u32 string) { return TABLE(p, char, SECTION_STRINGS) + string; }

static int load_code(Program *p, const char *folder, char *error, u64 room) {
    u64 count = COUNT(p, SECTION_LIBRARIES);
    p->libraries = calloc(count + 1, sizeof(void *));
    for (u64 n = 0; n < count; n++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, machine_string(p, TABLE(p, u32, SECTION_LIBRARIES)[n]));
        if (!(p->libraries[n] = dlopen(path, RTLD_NOW | RTLD_LOCAL))) {
            snprintf(error, room, "%s", dlerror());
            return 0;
        }
    }
    u64 functions = COUNT(p, SECTION_FUNCTIONS);
    Run *found = p->functions = calloc(functions + 1, sizeof(Run));
    for (u64 n = 0; n < functions; n++) {
        Function f = TABLE(p, Function, SECTION_FUNCTIONS)[n];
        const char *name = machine_string(p, f.name);
        if (!(found[n] = (Run)dlsym(p->libraries[f.library], name))) {
            snprintf(error, room, "no function %s", name);
            return 0;
        }
    }
    p->op_count = COUNT(p, SECTION_OPS);
    p->ops = malloc(p->op_count * sizeof(Op));
    memcpy(p->ops, TABLE(p, Op, SECTION_OPS), p->op_count * sizeof(Op));
    for (u64 n = 0; n < p->op_count; n++) p->ops[n].run = found[(u64)p->ops[n].run];
    return 1;
}

static void load_data(Program *p) {
    u64 count = COUNT(p, SECTION_BLOCKS);
    p->blocks = calloc(count + 1, sizeof(Block));
    for (u64 n = 0; n < count; n++) {
        Stored s = TABLE(p, Stored, SECTION_BLOCKS)[n];
        u64 align = s.align < 16 ? 16 : s.align;
        p->blocks[n].room = calloc(1, s.size + align + 16);
        p->blocks[n].data = (u8 *)(((u64)p->blocks[n].room + align - 1) / align * align);
        p->blocks[n].size = s.size, p->blocks[n].writable = s.writable;
        memcpy(p->blocks[n].data, p->image + s.offset, s.stored);
    }
    for (u64 n = 0; n < COUNT(p, SECTION_RELOCATIONS); n++) {
        Relocation r = TABLE(p, Relocation, SECTION_RELOCATIONS)[n];
        u64 value = (u64)r.more + (r.target == CODE ? 0 : (u64)p->blocks[r.target].data);
        memcpy(p->blocks[r.block].data + r.offset, &value, 8);
    }
    for (u64 n = 0; n < COUNT(p, SECTION_FIXUPS); n++) {
        Fixup f = TABLE(p, Fixup, SECTION_FIXUPS)[n];
        u64 value = (u64)p->blocks[f.block].data + (u64)f.more;
        if (f.half == HALF_LOW) value = (u32)value;
        if (f.half == HALF_HIGH) value >>= 32;
        Op *op = &p->ops[f.op];
        if (f.slot == 0) op->d = (u32)value;
        else if (f.slot == 1) op->e = (u32)value;
        else if (f.slot == 5) op->k = (i64)value;
        else (&op->a)[f.slot - 2] = value;
    }
}

// Instructions that compute are led through a watcher; those that reach memory have functions that say where.
static void load_watched(Program *p) {
    u64 count = p->op_count;
    p->watched = malloc(count * sizeof(Op)), p->records = malloc(count * sizeof(Record));
    memcpy(p->watched, p->ops, count * sizeof(Op));
    memcpy(p->records, TABLE(p, Record, SECTION_RECORDS), count * sizeof(Record));
    for (u64 n = 0; n < count; n++) {
        Record *r = &p->records[n];
        Run watcher = watcher_for(r);
        r->run = p->functions[(u64)r->run];
        p->watched[n].run = watcher ? watcher : r->run;
    }
}

Program *machine_load(const u8 *image, u64 size, const char *folder, char *error, u64 room) {
    if (!is_whole(image, size)) {
        snprintf(error, room, "the image is damaged");
        return 0;
    }
    Program *p = calloc(1, sizeof *p);
    p->image = malloc(size);
    memcpy(p->image, image, size);
    p->header = (const Header *)p->image;
    if (!load_code(p, folder, error, room)) {
        machine_unload(p);
        return 0;
    }
    load_data(p);
    load_watched(p);
    return p;
}

// The functions stay loaded: other programs use them too.
void machine_unload(Program *p) {
    for (u64 n = 0; p->blocks && n < COUNT(p, SECTION_BLOCKS); n++) free(p->blocks[n].room);
    free(p->blocks), free(p->ops), free(p->watched), free(p->records), free(p->functions), free(p->libraries), free(p->image), free(p);
}

const Kernel *machine_kernel_at(const Program *p, u32 number) {
    return number < COUNT(p, SECTION_KERNELS) ? TABLE(p, Kernel, SECTION_KERNELS) + number : 0;
}

const Kernel *machine_kernel(const Program *p, const char *name, u32 *number) {
    const Kernel *k;
    for (u32 n = 0; (k = machine_kernel_at(p, n)); n++)
        if (!strcmp(machine_string(p, k->name), name)) {
            if (number) *number = n;
            return k;
        }
    return 0;
}

const Piece *machine_arguments(const Program *p, const Kernel *k) {
    return TABLE(p, Piece, SECTION_ARGUMENTS) + k->first_argument;
}

u64 machine_symbol(const Program *p, const char *name, u64 *size) {
    for (u64 n = 0; n < COUNT(p, SECTION_SYMBOLS); n++) {
        Symbol s = TABLE(p, Symbol, SECTION_SYMBOLS)[n];
        if (strcmp(machine_string(p, s.name), name)) continue;
        if (size) *size = s.size;
        return (u64)p->blocks[s.block].data + s.offset;
    }
    return 0;
}

int machine_place(const Program *p, u32 op, const char **file, u32 *line) {
    if (op >= COUNT(p, SECTION_PLACES)) return 0;
    Where w = TABLE(p, Where, SECTION_PLACES)[op];
    *file = machine_string(p, w.file), *line = w.line;
    return w.line != 0;
}

const char *machine_instruction(const Program *p, u32 op) {
    return op < COUNT(p, SECTION_TEXTS) ? machine_string(p, TABLE(p, u32, SECTION_TEXTS)[op]) : "";
}

u64 machine_block(const Program *p, u32 number, u64 *size, u32 *writable) {
    if (number >= COUNT(p, SECTION_BLOCKS)) return 0;
    *size = p->blocks[number].size, *writable = p->blocks[number].writable;
    return (u64)p->blocks[number].data;
}
