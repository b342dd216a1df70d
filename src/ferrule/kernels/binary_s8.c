/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Portable elementwise int8 functions. */
#include "binary_s8.h"

#include "fr_arith.h"
#include "fr_binary.h"
#include "fr_broadcast.h"

/* Operands times their factors, combined, rounded once, half up. */
static int32_t single(int32_t a, int32_t b, const fr_binary_s8_op *op)
{
    int64_t p = (int64_t)a * op->factor[0];
    int64_t q = (int64_t)b * op->factor[1];
    int64_t v;
    switch (op->function) {
    case FR_ADD:
        v = p + q;
        break;
    case FR_SUB:
        v = p - q;
        break;
    case FR_MUL:
        v = (int64_t)(a * b) * op->factor[0];
        break;
    case FR_MIN:
        v = p < q ? p : q;
        break;
    default:
        v = p > q ? p : q;
        break;
    }
    v = (v + ((int64_t)1 << (op->frac - 1))) >> op->frac;
    return v > 65535 ? 65535 : (v < -65535 ? -65535 : (int32_t)v);
}

/* The roundings of TFLite's reference kernels. */
static int32_t stepwise(int32_t a, int32_t b, const fr_binary_s8_op *op)
{
    int32_t p, q;
    switch (op->function) {
    case FR_MUL:
        return fr_requant_double(a * b, op->multiplier[0], op->shift[0]);
    case FR_MIN:
        return a < b ? a : b;
    case FR_MAX:
        return a > b ? a : b;
    default:
        p = fr_requant_double(fr_shl(a, 20), op->multiplier[0], op->shift[0]);
        q = fr_requant_double(fr_shl(b, 20), op->multiplier[1], op->shift[1]);
        return fr_requant_double(op->function == FR_ADD ? p + q : p - q, op->multiplier[2], op->shift[2]);
    }
}

void fr_binary_s8(const fr_view *y, const fr_view *a, const fr_view *b, const fr_binary_s8_op *op, int32_t y0,
                   int32_t y1, void *work)
{
    int32_t row, column, c;
    (void)work;
    for (row = y0; row < y1; row++) {
        const uint8_t *left = fr_row(a, fr_operand_row(row, op->row_axes, op->row_size, op->a_step));
        const uint8_t *right = fr_row(b, fr_operand_row(row, op->row_axes, op->row_size, op->b_step));
        uint8_t *out = fr_row(y, row);
        for (column = 0; column < op->width; column++) {
            const int8_t *p = (const int8_t *)(left + (ptrdiff_t)column * op->a_pixel * a->pixel);
            const int8_t *q = (const int8_t *)(right + (ptrdiff_t)column * op->b_pixel * b->pixel);
            int8_t *o = (int8_t *)(out + (ptrdiff_t)column * y->pixel);
            for (c = 0; c < op->channels; c++) {
                int32_t v = p[c * op->a_channel] - op->a_zero;
                int32_t w = q[c * op->b_channel] - op->b_zero;
                v = (op->frac ? single(v, w, op) : stepwise(v, w, op)) + op->out_zero;
                o[c] = (int8_t)fr_clamp(v, op->clamp_low, op->clamp_high);
            }
        }
    }
}
