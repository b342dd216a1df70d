/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Keeps a triangle, element by element. */
#include "trilu.h"

#include "fr_place.h"

void fr_trilu(const fr_view *y, const fr_view *x, const fr_trilu_op *op, int32_t y0, int32_t y1, void *work)
{
    int32_t e = op->element_bytes;
    int32_t row, column, c;
    (void)work;
    for (row = y0; row < y1; row++) {
        const uint8_t *from = fr_row(x, row);
        uint8_t *to = fr_row(y, row);
        for (column = 0; column < op->width; column++) {
            int32_t edge = (op->matrix_rows ? row % op->matrix_rows : column) + op->diagonal;
            for (c = 0; c < op->channels; c++) {
                int32_t kept = op->upper ? c >= edge : c <= edge;
                fr_carry(to + (ptrdiff_t)c * e, kept ? from + (ptrdiff_t)c * e : op->zero, e);
            }
            from += x->pixel;
            to += y->pixel;
        }
    }
}
