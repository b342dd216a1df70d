/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Portable elementwise float functions. */
#include "binary_f32.h"

#include <math.h>

#include "fr_binary.h"
#include "fr_broadcast.h"

static float apply(float a, float b, int32_t function)
{
    float r;
    switch (function) {
    case FR_ADD:
        return a + b;
    case FR_SUB:
        return a - b;
    case FR_MUL:
        return a * b;
    case FR_DIV:
        return a / b;
    case FR_MIN:
        return a != a || b != b ? a + b : (a < b ? a : b);
    case FR_MAX:
        return a != a || b != b ? a + b : (a > b ? a : b);
    case FR_POW:
        return powf(a, b);
    case FR_SQUARED_DIFFERENCE:
        return (a - b) * (a - b);
    case FR_MOD:
        r = fmodf(a, b);
        return r != 0.0f && (r < 0.0f) != (b < 0.0f) ? r + b : r;
    default:
        return fmodf(a, b);
    }
}

void fr_binary_f32(const fr_view *y, const fr_view *a, const fr_view *b, const fr_binary_f32_op *op, int32_t y0,
                   int32_t y1, void *work)
{
    int32_t row, column, c;
    (void)work;
    for (row = y0; row < y1; row++) {
        const uint8_t *left = fr_row(a, fr_operand_row(row, op->row_axes, op->row_size, op->a_step));
        const uint8_t *right = fr_row(b, fr_operand_row(row, op->row_axes, op->row_size, op->b_step));
        uint8_t *out = fr_row(y, row);
        for (column = 0; column < op->width; column++) {
            const float *p = (const float *)(const void *)(left + (ptrdiff_t)column * op->a_pixel * a->pixel);
            const float *q = (const float *)(const void *)(right + (ptrdiff_t)column * op->b_pixel * b->pixel);
            float *o = (float *)(void *)(out + (ptrdiff_t)column * y->pixel);
            for (c = 0; c < op->channels; c++) {
                float v = apply(p[c * op->a_channel], q[c * op->b_channel], op->function);
                v = v < op->clamp_low ? op->clamp_low : v;
                o[c] = v > op->clamp_high ? op->clamp_high : v;
            }
        }
    }
}
