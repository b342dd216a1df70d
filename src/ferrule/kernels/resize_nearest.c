/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Carries the pixel that each output pixel names. */
#include "resize_nearest.h"

#include <string.h>

void fr_resize_nearest(const fr_view *y, const fr_view *x, const fr_resize_nearest_op *op, int32_t y0, int32_t y1,
                       void *work)
{
    int32_t row, column, c;
    (void)work;
    for (row = y0; row < y1; row++) {
        int32_t image = row / op->out_height;
        const uint8_t *line = fr_row(x, image * op->in_height + op->row_index[row - image * op->out_height]);
        uint8_t *to = fr_row(y, row);
        for (column = 0; column < op->out_width; column++) {
            const uint8_t *from = line + (ptrdiff_t)op->column_index[column] * x->pixel;
            if (op->table) {
                for (c = 0; c < op->channels; c++) {
                    ((int8_t *)to)[c] = op->table[((const int8_t *)from)[c] + 128];
                }
            } else {
                memcpy(to, from, (size_t)op->channels * (size_t)op->element_bytes);
            }
            to += y->pixel;
        }
    }
}
