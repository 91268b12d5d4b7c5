// What the two interfaces of BLAS share: handles, what is wrong with a call, and how each library says it.
#pragma once
#include "calls.h"

enum { NO_TRANSPOSE = 111, TRANSPOSE = 112, CONJUGATE = 113, UPPER = 121, LOWER = 122, NON_UNIT = 131, UNIT = 132, LEFT = 141, RIGHT = 142 };
typedef enum { FINE, NO_HANDLE, BAD_ENUM, BAD_SIZE, BAD_POINTER, BAD_VALUE, UNSUPPORTED } Wrong;
typedef struct Handle {
    uint64_t mark;
    void *stream, *workspace;
    size_t workspace_size;
    int pointer_mode, atomics, math;
} Handle;
int is_handle(const void *);
extern const int HIP_STATUS[], ROC_STATUS[];

#define REQUIRE(library, condition, wrong) do { if (!(condition)) return library##_STATUS[wrong]; } while (0)
#define IS_TRANS(x) ((x) >= NO_TRANSPOSE && (x) <= CONJUGATE)
#define IS_UPLO(x) ((x) == UPPER || (x) == LOWER)
#define IS_DIAG(x) ((x) == NON_UNIT || (x) == UNIT)
#define IS_SIDE(x) ((x) == LEFT || (x) == RIGHT)
#define ROWS_OF(op, rows, columns) ((op) == NO_TRANSPOSE ? (rows) : (columns))
