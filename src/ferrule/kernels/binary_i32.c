/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Portable elementwise int32_t functions; overflow wraps. */
#include "binary_i32.h"

#include "fr_binary.h"
#include "fr_broadcast.h"

static int32_t power(int32_t a, int32_t b)
{
    uint32_t r = 1;
    uint32_t base = (uint32_t)a;
    if (b < 0) {
        return a == 1 ? 1 : (a == -1 ? (b % 2 ? -1 : 1) : 0);
    }
    while (b > 0) {
        r *= (b & 1) ? base : 1u;
        base *= base;
        b >>= 1;
    }
    return (int32_t)r;
}

static int32_t apply(int32_t a, int32_t b, int32_t function)
{
    int32_t r;
    switch (function) {
    case FR_ADD:
        return (int32_t)((uint32_t)a + (uint32_t)b);
    case FR_SUB:
        return (int32_t)((uint32_t)a - (uint32_t)b);
    case FR_MUL:
        return (int32_t)((uint32_t)a * (uint32_t)b);
    case FR_DIV:
        return b == 0 ? 0 : (b == -1 ? (int32_t)(0u - (uint32_t)a) : a / b);
    case FR_MIN:
        return a < b ? a : b;
    case FR_MAX:
        return a > b ? a : b;
    case FR_POW:
        return power(a, b);
    case FR_SQUARED_DIFFERENCE:
        r = (int32_t)((uint32_t)a - (uint32_t)b);
        return (int32_t)((uint32_t)r * (uint32_t)r);
    case FR_MOD:
        r = b == 0 || b == -1 ? 0 : a % b;
        return r != 0 && (r < 0) != (b < 0) ? r + b : r;
    default:
        return b == 0 || b == -1 ? 0 : a % b;
    }
}

void fr_binary_i32(const fr_view *y, const fr_view *a, const fr_view *b, const fr_binary_i32_op *op, int32_t y0,
                   int32_t y1, void *work)
{
    int32_t row, column, c;
    (void)work;
    for (row = y0; row < y1; row++) {
        const uint8_t *left = fr_row(a, fr_operand_row(row, op->row_axes, op->row_size, op->a_step));
        const uint8_t *right = fr_row(b, fr_operand_row(row, op->row_axes, op->row_size, op->b_step));
        uint8_t *out = fr_row(y, row);
        for (column = 0; column < op->width; column++) {
            const int32_t *p = (const int32_t *)(const void *)(left + (ptrdiff_t)column * op->a_pixel * a->pixel);
            const int32_t *q = (const int32_t *)(const void *)(right + (ptrdiff_t)column * op->b_pixel * b->pixel);
            int32_t *o = (int32_t *)(void *)(out + (ptrdiff_t)column * y->pixel);
            for (c = 0; c < op->channels; c++) {
                o[c] = apply(p[c * op->a_channel], q[c * op->b_channel], op->function);
            }
        }
    }
}
