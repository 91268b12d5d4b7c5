// What device code printed: records in a buffer, formats by number.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "program.h"

typedef struct Text {
    char *data;
    u64 size, room;
} Text;

static void add(Text *t, const char *data, u64 size) {
    if (t->size + size > t->room) {
        t->room = (t->size + size) * 2 + 256;
        t->data = realloc(t->data, t->room);
    }
    memcpy(t->data + t->size, data, size);
    t->size += size;
}

typedef struct Given {
    const u8 *at, *end;
} Given;

static u64 word(Given *g) {
    u64 value = 0;
    if (g->end - g->at >= 8) memcpy(&value, g->at, 8), g->at += 8;
    return value;
}

static u64 text_length(const Given *g) {
    const u8 *zero = memchr(g->at, 0, (u64)(g->end - g->at));
    return (u64)((zero ? zero : g->end) - g->at);
}

// One conversion: its own flags, width and precision, with a length that fits what was stored.
static void convert(Text *t, const char *spec, u64 length, Given *g) {
    char form[64], made[512], kind = spec[length - 1];
    u64 n = 0, size = 4;
    for (u64 at = 0; at + 1 < length && n + 24 < sizeof form; at++) {
        char c = spec[at];
        if (c == '*') n += (u64)snprintf(form + n, 16, "%d", (int)word(g));
        else if (c == 'h') size = size == 2 ? 1 : 2;
        else if (strchr("lzjt", c)) size = 8;
        else if (c != 'L') form[n++] = c;
    }
    form[n] = 0;
    if (kind == 's') {
        u64 long_ = text_length(g), padded = (long_ + 8) / 8 * 8;
        char *copy = strndup((const char *)g->at, long_), *big = malloc(long_ + 512);
        strcat(form, "s");
        int written = snprintf(big, long_ + 512, form, copy);
        add(t, big, written < 0 ? 0 : (u64)written < long_ + 512 ? (u64)written : long_ + 511);
        g->at = padded > (u64)(g->end - g->at) ? g->end : g->at + padded;
        free(copy), free(big);
        return;
    }
    u64 value = word(g);
    int written;
    if (strchr("eEfFgGaA", kind)) {
        double number;
        memcpy(&number, &value, 8);
        form[n] = kind, form[n + 1] = 0;
        written = snprintf(made, sizeof made, form, number);
    } else if (kind == 'c') {
        form[n] = 'c', form[n + 1] = 0;
        written = snprintf(made, sizeof made, form, (int)(u8)value);
    } else if (kind == 'p') {
        written = snprintf(made, sizeof made, "0x%lx", value);
    } else {
        i64 number = (i64)value;
        if (kind == 'd' || kind == 'i') number = size == 1 ? (signed char)value : size == 2 ? (short)value : size == 4 ? (int)value : number;
        else number = (i64)(size == 1 ? (u8)value : size == 2 ? (u16)value : size == 4 ? (u32)value : value);
        form[n] = 'l', form[n + 1] = kind, form[n + 2] = 0;
        written = snprintf(made, sizeof made, form, number);
    }
    add(t, made, written < 0 ? 0 : (u64)written < sizeof made ? (u64)written : sizeof made - 1);
}

static void format(Text *t, const char *form, Given g) {
    while (*form) {
        u64 plain = strcspn(form, "%");
        add(t, form, plain), form += plain;
        if (!*form) return;
        u64 length = 1 + strspn(form + 1, "-+ #0123456789.*hlzjtL");
        if (form[length] == '%') add(t, "%", 1);
        else if (form[length] && strchr("diouxXeEfFgGaAcsp", form[length])) convert(t, form, length + 1, &g);
        else add(t, form, length + (form[length] != 0));
        form += length + (form[length] != 0);
    }
}

char *printed_text(const Program *p, const u8 *buffer, u64 size, u64 *length) {
    Text t = {0};
    u32 used, control;
    memcpy(&used, buffer, 4);
    u64 end = 8 + (u64)used < size ? 8 + (u64)used : size;
    for (u64 at = 8; at + 12 <= end; at += control >> 2) {
        u64 number;
        memcpy(&control, buffer + at, 4), memcpy(&number, buffer + at + 4, 8);
        if (control >> 2 < 12 || at + (control >> 2) > end) break;
        const char *form = "?\n";
        for (u64 n = 0; n < COUNT(p, SECTION_FORMATS); n++)
            if (TABLE(p, Format, SECTION_FORMATS)[n].number == number)
                form = machine_string(p, TABLE(p, Format, SECTION_FORMATS)[n].text);
        format(&t, form, (Given){buffer + at + 12, buffer + at + (control >> 2)});
    }
    *length = t.size;
    return t.data;
}
