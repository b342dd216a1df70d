/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Copies the tensor, then lays the updates over it in their order. */
#include "scatter.h"

#include <string.h>

enum { F32 = 0, S32 = 1, S64 = 2, S8 = 3 };
enum { REPLACE = 0, ADD = 1, MULTIPLY = 2, MINIMUM = 3, MAXIMUM = 4 };

static float combined_f32(float a, float b, int32_t reduction)
{
    switch (reduction) {
    case ADD:
        return a + b;
    case MULTIPLY:
        return a * b;
    case MINIMUM:
        return b < a ? b : a;
    default:
        return b > a ? b : a;
    }
}

/* In 64 bits with the wrap-around of two's complement. */
static int64_t combined_int(int64_t a, int64_t b, int32_t reduction)
{
    switch (reduction) {
    case ADD:
        return (int64_t)((uint64_t)a + (uint64_t)b);
    case MULTIPLY:
        return (int64_t)((uint64_t)a * (uint64_t)b);
    case MINIMUM:
        return b < a ? b : a;
    default:
        return b > a ? b : a;
    }
}

static void combine(uint8_t *to, const uint8_t *from, const fr_scatter_op *op)
{
    if (op->type == F32) {
        float a, b;
        memcpy(&a, to, 4);
        memcpy(&b, from, 4);
        a = combined_f32(a, b, op->reduction);
        memcpy(to, &a, 4);
    } else if (op->type == S32) {
        int32_t a, b;
        memcpy(&a, to, 4);
        memcpy(&b, from, 4);
        a = (int32_t)(uint32_t)((uint64_t)combined_int(a, b, op->reduction) & 0xffffffffu);
        memcpy(to, &a, 4);
    } else if (op->type == S64) {
        int64_t a, b;
        memcpy(&a, to, 8);
        memcpy(&b, from, 8);
        a = combined_int(a, b, op->reduction);
        memcpy(to, &a, 8);
    } else {
        int64_t v = combined_int((int8_t)*to, (int8_t)*from, op->reduction);
        *to = (uint8_t)((uint64_t)v & 0xffu);
    }
}

/* Index number j, as 0..slices-1: negative ones count from the end, others are clamped. */
static int32_t target(const fr_view *index, const fr_scatter_op *op, int32_t j)
{
    const uint8_t *at = (const uint8_t *)index->base + (ptrdiff_t)j * (op->wide ? 8 : 4);
    int64_t v;
    if (op->wide) {
        memcpy(&v, at, 8);
    } else {
        int32_t narrow;
        memcpy(&narrow, at, 4);
        v = narrow;
    }
    v = v < 0 ? v + op->slices : v;
    if (v < 0) {
        return 0;
    }
    return v >= op->slices ? op->slices - 1 : (int32_t)v;
}

void fr_scatter(const fr_view *y, const fr_view *x, const fr_view *index, const fr_view *updates,
                const fr_scatter_op *op, int32_t y0, int32_t y1, void *work)
{
    size_t bytes = (size_t)op->inner * (size_t)op->element_bytes;
    int32_t row, j, i;
    (void)work;
    (void)y0;
    (void)y1;
    for (row = 0; row < op->slices; row++) {
        memmove(fr_row(y, row), fr_row(x, row), bytes);
    }
    for (j = 0; j < op->count; j++) {
        uint8_t *to = fr_row(y, target(index, op, j));
        const uint8_t *from = fr_row(updates, j);
        if (op->reduction == REPLACE) {
            memmove(to, from, bytes);
            continue;
        }
        for (i = 0; i < op->inner; i++) {
            combine(to + (ptrdiff_t)i * op->element_bytes, from + (ptrdiff_t)i * op->element_bytes, op);
        }
    }
}
