/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Mixes source pixels by tables of positions and weights. r/s count row/column taps. */
#include "resize_f32.h"

static void pixel(float *to, const fr_view *x, const fr_resize_f32_op *op, int32_t image, int32_t y, int32_t column)
{
    const int32_t *rows = op->row_index + (ptrdiff_t)y * op->row_taps;
    const float *row_weight = op->row_weight + (ptrdiff_t)y * op->row_taps;
    const int32_t *columns = op->column_index + (ptrdiff_t)column * op->column_taps;
    const float *column_weight = op->column_weight + (ptrdiff_t)column * op->column_taps;
    int32_t r, s, c;
    for (c = 0; c < op->channels; c++) {
        to[c] = 0.0f;
    }
    for (r = 0; r < op->row_taps; r++) {
        const uint8_t *line = fr_row(x, image * op->in_height + rows[r]);
        for (s = 0; s < op->column_taps; s++) {
            const float *from = (const float *)(const void *)(line + (ptrdiff_t)columns[s] * x->pixel);
            float weight = row_weight[r] * column_weight[s];
            for (c = 0; c < op->channels; c++) {
                to[c] += weight * from[c];
            }
        }
    }
}

void fr_resize_f32(const fr_view *y, const fr_view *x, const fr_resize_f32_op *op, int32_t y0, int32_t y1, void *work)
{
    int32_t row, column;
    (void)work;
    for (row = y0; row < y1; row++) {
        int32_t image = row / op->out_height;
        uint8_t *to = fr_row(y, row);
        for (column = 0; column < op->out_width; column++) {
            pixel((float *)(void *)to, x, op, image, row - image * op->out_height, column);
            to += y->pixel;
        }
    }
}
