// A program as an image lays it out.
#pragma once
#include "machine.h"
#include "wave.h"

typedef struct Section {
    u64 offset, count;
} Section;

enum {
    SECTION_STRINGS, SECTION_LIBRARIES, SECTION_FUNCTIONS, SECTION_OPS, SECTION_PLACES, SECTION_TEXTS, SECTION_FIXUPS,
    SECTION_BLOCKS, SECTION_RELOCATIONS, SECTION_SYMBOLS, SECTION_KERNELS, SECTION_ARGUMENTS, SECTION_FORMATS,
    SECTION_UNKNOWN, SECTION_RECORDS, SECTIONS
};

typedef struct Header {
    char magic[8];
    u32 lanes, size_of_op;
    Section sections[SECTIONS];
} Header;

typedef struct Function { u32 library, name; } Function;
typedef struct Where { u32 file, line; } Where;
typedef struct Fixup { u32 op; u8 slot, half; u16 unused; u32 block, unused2; i64 more; } Fixup;
typedef struct Stored { u64 size, align, offset, stored; u32 writable, name; } Stored;
typedef struct Relocation { u64 block, offset; u32 target, unused; i64 more; } Relocation;  // target: a block, or CODE
typedef struct Symbol { u32 name, block; u64 offset, size; } Symbol;
typedef struct Format { u64 number; u32 text, unused; } Format;
typedef struct Unknown { u32 op, text; } Unknown;
enum { HALF_ALL, HALF_LOW, HALF_HIGH, CODE = ~0u };

typedef struct Block {
    u8 *room, *data;
    u64 size;
    u32 writable;
} Block;

struct Program {
    u8 *image;
    const Header *header;
    Op *ops, *watched;  // watched: the same, each with what watches it
    struct Record *records;
    u64 op_count;
    Run *functions;
    Block *blocks;
    void **libraries;
};

#define COUNT(p, section) ((p)->header->sections[section].count)
#define TABLE(p, T, section) ((const T *)((p)->image + (p)->header->sections[section].offset))

char *printed_text(const Program *, const u8 *buffer, u64 size, u64 *length);
