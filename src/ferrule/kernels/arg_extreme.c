/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Searches along the axis for each output element; j counts along. */
#include "arg_extreme.h"

#include "fr_order.h"
#include "fr_place.h"

static int32_t find(const fr_view *x, const fr_arg_extreme_op *op, int32_t element)
{
    int32_t outer = element / op->inner;
    int32_t at = outer * op->length * op->inner + (element - outer * op->inner);
    const uint8_t *best = fr_element(x, at, op->in_width, op->in_channels, op->element_bytes);
    const uint8_t *now = best;
    int32_t found = 0;
    int32_t j;
    for (j = 1; j < op->length; j++) {
        int32_t order;
        at += op->inner;
        now = op->in_pixel ? now + op->element_bytes
                           : fr_element(x, at, op->in_width, op->in_channels, op->element_bytes);
        order = fr_order(now, best, op->type);
        if (order == (op->largest ? 1 : -1) || (order == 0 && op->last)) {
            best = now;
            found = j;
        }
    }
    return found;
}

void fr_arg_extreme(const fr_view *y, const fr_view *x, const fr_arg_extreme_op *op, int32_t y0, int32_t y1, void *work)
{
    int32_t row, column, c;
    (void)work;
    for (row = y0; row < y1; row++) {
        uint8_t *to = fr_row(y, row);
        for (column = 0; column < op->out_width; column++) {
            for (c = 0; c < op->out_channels; c++) {
                int32_t narrow = find(x, op, (row * op->out_width + column) * op->out_channels + c);
                int64_t wide = narrow;
                if (op->wide) {
                    memcpy(to + (ptrdiff_t)c * 8, &wide, 8);
                } else {
                    memcpy(to + (ptrdiff_t)c * 4, &narrow, 4);
                }
            }
            to += y->pixel;
        }
    }
}
