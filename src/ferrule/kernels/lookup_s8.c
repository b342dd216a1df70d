/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Portable table look-up. */
#include "lookup_s8.h"

void fr_lookup_s8(const fr_view *y, const fr_view *x, const fr_lookup_s8_op *op, int32_t y0, int32_t y1, void *work)
{
    const int8_t *table = op->table + 128;
    int32_t row, column, c;
    (void)work;
    for (row = y0; row < y1; row++) {
        const uint8_t *in = fr_row(x, row);
        uint8_t *out = fr_row(y, row);
        for (column = 0; column < op->width; column++) {
            for (c = 0; c < op->channels; c++) {
                ((int8_t *)out)[c] = table[((const int8_t *)in)[c]];
            }
            in += x->pixel;
            out += y->pixel;
        }
    }
}
