// hiprtc: sources compiled at run time, by the same toolchain as everything else.
#include "state.h"
#include <hip/hiprtc.h>

struct _hiprtcProgram {
    char *source, *name, *log, *code;
    char **header_names, **headers, **expressions, **lowered;
    int header_count, expression_count;
    u64 code_size;
};
typedef struct _hiprtcProgram Source;

API const char *hiprtcGetErrorString(hiprtcResult result) {
    static const char *names[] = {
        "HIPRTC_SUCCESS", "HIPRTC_ERROR_OUT_OF_MEMORY", "HIPRTC_ERROR_PROGRAM_CREATION_FAILURE", "HIPRTC_ERROR_INVALID_INPUT",
        "HIPRTC_ERROR_INVALID_PROGRAM", "HIPRTC_ERROR_INVALID_OPTION", "HIPRTC_ERROR_COMPILATION", "HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE",
        "HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION", "HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
        "HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID", "HIPRTC_ERROR_INTERNAL_ERROR",
    };
    return (u32)result < sizeof names / sizeof *names ? names[result] : "HIPRTC_ERROR_LINKING";
}
API hiprtcResult hiprtcVersion(int *major, int *minor) { *major = 6, *minor = 2; return HIPRTC_SUCCESS; }

API hiprtcResult hiprtcCreateProgram(hiprtcProgram *made, const char *source, const char *name, int count, const char **headers, const char **names) {
    if (!made || !source) return HIPRTC_ERROR_INVALID_INPUT;
    Source *s = calloc(1, sizeof *s);
    s->source = strdup(source), s->name = strdup(name && *name ? name : "program.hip");
    s->header_count = count;
    s->headers = calloc((u64)count + 1, sizeof(char *)), s->header_names = calloc((u64)count + 1, sizeof(char *));
    for (int n = 0; n < count; n++) s->headers[n] = strdup(headers[n]), s->header_names[n] = strdup(names[n]);
    *made = s;
    return HIPRTC_SUCCESS;
}
API hiprtcResult hiprtcDestroyProgram(hiprtcProgram *s) {
    if (!s || !*s) return HIPRTC_ERROR_INVALID_INPUT;
    *s = 0;  // small, and addresses of lowered names may still be in use
    return HIPRTC_SUCCESS;
}
API hiprtcResult hiprtcAddNameExpression(hiprtcProgram s, const char *expression) {
    if (!s || !expression) return HIPRTC_ERROR_INVALID_INPUT;
    if (s->code) return HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
    s->expressions = realloc(s->expressions, ((u64)s->expression_count + 1) * sizeof(char *));
    s->lowered = realloc(s->lowered, ((u64)s->expression_count + 1) * sizeof(char *));
    s->expressions[s->expression_count] = strdup(expression), s->lowered[s->expression_count++] = 0;
    return HIPRTC_SUCCESS;
}

// What the translator is asked and answers: strings, each with its length before it.
static void put(FILE *to, const char *text) {
    u64 size = strlen(text);
    fwrite(&size, 8, 1, to), fwrite(text, 1, size, to);
}
static char *next(const u8 **at, const u8 *end, u64 *size) {
    if (end - *at < 8) return 0;
    memcpy(size, *at, 8);
    if (*size > (u64)(end - *at) - 8) return 0;
    char *text = calloc(1, *size + 1);
    memcpy(text, *at + 8, *size);
    *at += 8 + *size;
    return text;
}

API hiprtcResult hiprtcCompileProgram(hiprtcProgram s, int count, const char **options) {
    if (!s) return HIPRTC_ERROR_INVALID_PROGRAM;
    char *asked = 0, *path = 0;
    size_t size = 0;
    u64 length;
    FILE *to = open_memstream(&asked, &size);
    put(to, s->name), put(to, s->source);
    for (int n = 0; n < s->header_count; n++) put(to, "header"), put(to, s->header_names[n]), put(to, s->headers[n]);
    for (int n = 0; n < count; n++) put(to, "option"), put(to, options[n]);
    for (int n = 0; n < s->expression_count; n++) put(to, "expression"), put(to, s->expressions[n]);
    fclose(to);
    hipError_t error = translate("hiprtc", asked, size, &path);
    free(asked);
    FILE *file = error == hipSuccess ? fopen(path, "rb") : 0;
    free(path);
    if (!file) return HIPRTC_ERROR_INTERNAL_ERROR;
    fseek(file, 0, SEEK_END);
    u64 all = (u64)ftell(file);
    u8 *answer = malloc(all + 1);
    rewind(file);
    all = fread(answer, 1, all, file);
    fclose(file);
    const u8 *at = answer, *end = answer + all;
    char *outcome = next(&at, end, &length);
    s->log = next(&at, end, &length), s->code = next(&at, end, &s->code_size);
    for (int n = 0; n < s->expression_count; n++) s->lowered[n] = next(&at, end, &length);
    int fine = outcome && !strcmp(outcome, "ok");
    free(answer), free(outcome);
    return fine ? HIPRTC_SUCCESS : HIPRTC_ERROR_COMPILATION;
}
API hiprtcResult hiprtcGetProgramLogSize(hiprtcProgram s, size_t *size) {
    if (!s || !size) return HIPRTC_ERROR_INVALID_INPUT;
    *size = s->log ? strlen(s->log) + 1 : 1;
    return HIPRTC_SUCCESS;
}
API hiprtcResult hiprtcGetProgramLog(hiprtcProgram s, char *log) {
    if (!s || !log) return HIPRTC_ERROR_INVALID_INPUT;
    strcpy(log, s->log ? s->log : "");
    return HIPRTC_SUCCESS;
}
API hiprtcResult hiprtcGetCodeSize(hiprtcProgram s, size_t *size) {
    if (!s || !size || !s->code) return HIPRTC_ERROR_INVALID_INPUT;
    *size = s->code_size + 1;
    return HIPRTC_SUCCESS;
}
API hiprtcResult hiprtcGetCode(hiprtcProgram s, char *code) {
    if (!s || !code || !s->code) return HIPRTC_ERROR_INVALID_INPUT;
    memcpy(code, s->code, s->code_size + 1);
    return HIPRTC_SUCCESS;
}
API hiprtcResult hiprtcGetLoweredName(hiprtcProgram s, const char *expression, const char **lowered) {
    if (!s || !expression || !lowered) return HIPRTC_ERROR_INVALID_INPUT;
    for (int n = 0; n < s->expression_count; n++)
        if (!strcmp(s->expressions[n], expression) && s->lowered[n] && *s->lowered[n]) {
            *lowered = s->lowered[n];
            return HIPRTC_SUCCESS;
        }
    return HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}
