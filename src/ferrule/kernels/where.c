/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Chooses element by element; k counts mask (0), a (1) and b (2). */
#include "where.h"

#include "fr_place.h"

/* Element c of the pixel at (row, pixel) of operand k. */
static const uint8_t *element(const fr_view *x, const fr_where_op *op, int32_t k, int32_t row, int32_t pixel, int32_t c,
                              int32_t element_bytes)
{
    const uint8_t *line = fr_row(x, row + c * op->channel_row[k]);
    return line + (ptrdiff_t)(pixel + c * op->channel_pixel[k]) * x->pixel +
           (ptrdiff_t)c * op->channel_step[k] * element_bytes;
}

void fr_where(const fr_view *y, const fr_view *mask, const fr_view *a, const fr_view *b, const fr_where_op *op,
              int32_t y0, int32_t y1, void *work)
{
    int32_t e = op->element_bytes;
    int32_t row, column, c, k, axis;
    (void)work;
    for (row = y0; row < y1; row++) {
        uint8_t *to = fr_row(y, row);
        int32_t at[3] = {0, 0, 0};
        int32_t rest = row;
        for (axis = op->row_axes - 1; axis >= 0; axis--) {
            int32_t above = rest / op->size[axis];
            for (k = 0; k < 3; k++) {
                at[k] += (rest - above * op->size[axis]) * op->row_step[k * 6 + axis];
            }
            rest = above;
        }
        for (column = 0; column < op->width; column++) {
            for (c = 0; c < op->channels; c++) {
                k = *element(mask, op, 0, at[0] + column * op->column_row[0], column * op->column_pixel[0], c, 1) ? 1 : 2;
                fr_carry(to + (ptrdiff_t)c * e,
                         element(k == 1 ? a : b, op, k, at[k] + column * op->column_row[k], column * op->column_pixel[k],
                                 c, e),
                         e);
            }
            to += y->pixel;
        }
    }
}
