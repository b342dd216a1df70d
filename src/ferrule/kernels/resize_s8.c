/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Mixes source pixels by tables of positions and integer weights. r/s count row/column taps. */
#include "resize_s8.h"

#include "fr_arith.h"

/* The sum as a code. With a multiplier all but 8 bits of fraction are dropped first, so that the product fits. */
static int8_t code(int64_t sum, const fr_resize_s8_op *op)
{
    int32_t bits = op->bits;
    int64_t half = (int64_t)1 << (bits - 1);
    int64_t v;
    if (op->multiplier == 0) {
        v = sum > 0 ? (sum + half) >> bits : -((half - sum) >> bits);
    } else {
        int32_t down = 31 - op->shift + 8;
        v = (sum + ((int64_t)1 << (bits - 9))) >> (bits - 8);
        v = (v * op->multiplier + ((int64_t)1 << (down - 1))) >> down;
        v += op->out_zero;
    }
    return (int8_t)(v < -128 ? -128 : (v > 127 ? 127 : v));
}

static void pixel(int8_t *to, const fr_view *x, const fr_resize_s8_op *op, int32_t image, int32_t y, int32_t column)
{
    const int32_t *rows = op->row_index + (ptrdiff_t)y * op->row_taps;
    const int32_t *row_weight = op->row_weight + (ptrdiff_t)y * op->row_taps;
    const int32_t *columns = op->column_index + (ptrdiff_t)column * op->column_taps;
    const int32_t *column_weight = op->column_weight + (ptrdiff_t)column * op->column_taps;
    int32_t r, s, c;
    for (c = 0; c < op->channels; c++) {
        int64_t sum = 0;
        for (r = 0; r < op->row_taps; r++) {
            const int8_t *line = (const int8_t *)fr_row(x, image * op->in_height + rows[r]) + c;
            int32_t part = 0;
            for (s = 0; s < op->column_taps; s++) {
                part += (line[(ptrdiff_t)columns[s] * x->pixel] - op->in_zero) * column_weight[s];
            }
            sum += (int64_t)part * row_weight[r];
        }
        to[c] = code(sum, op);
    }
}

void fr_resize_s8(const fr_view *y, const fr_view *x, const fr_resize_s8_op *op, int32_t y0, int32_t y1, void *work)
{
    int32_t row, column;
    (void)work;
    for (row = y0; row < y1; row++) {
        int32_t image = row / op->out_height;
        uint8_t *to = fr_row(y, row);
        for (column = 0; column < op->out_width; column++) {
            pixel((int8_t *)to, x, op, image, row - image * op->out_height, column);
            to += y->pixel;
        }
    }
}
