// Libraries that are computed on the host: every call is counted, and said so in the report.
#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default")))
typedef long long I64;

typedef struct Calls {
    const char *library, *function;
    uint64_t count;
    struct Calls *next;
    int listed;
} Calls;
void count_call(Calls *);
#define COUNT(library, function) \
    do { \
        static Calls calls_ = {library, function}; \
        count_call(&calls_); \
    } while (0)

int is_capturing(void *stream);            // a graph is being recorded: what runs at once would be lost from it
void *room(size_t size);                   // memory, or the end
__attribute__((noreturn)) void not_made(const char *library, const char *function);
