/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Marks indices, element by element. */
#include "one_hot.h"

#include "fr_place.h"

/* Index number k; -1: none. */
static int64_t marked(const fr_view *index, const fr_one_hot_op *op, int32_t k)
{
    const uint8_t *at = fr_element(index, k, op->index_width, op->index_channels, op->wide ? 8 : 4);
    int64_t v;
    if (op->wide) {
        memcpy(&v, at, 8);
    } else {
        int32_t narrow;
        memcpy(&narrow, at, 4);
        v = narrow;
    }
    return v < 0 && op->negative ? v + op->depth : v;
}

void fr_one_hot(const fr_view *y, const fr_view *index, const fr_one_hot_op *op, int32_t y0, int32_t y1, void *work)
{
    int32_t row, column, c;
    (void)work;
    for (row = y0; row < y1; row++) {
        uint8_t *to = fr_row(y, row);
        for (column = 0; column < op->out_width; column++) {
            for (c = 0; c < op->out_channels; c++) {
                int32_t element = (row * op->out_width + column) * op->out_channels + c;
                int32_t slice = element / op->inner;
                int32_t outer = slice / op->depth;
                int64_t want = marked(index, op, outer * op->inner + (element - slice * op->inner));
                fr_carry(to + (ptrdiff_t)c * op->element_bytes, slice - outer * op->depth == want ? op->on : op->off,
                         op->element_bytes);
            }
            to += y->pixel;
        }
    }
}
