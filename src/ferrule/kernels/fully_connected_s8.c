/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Portable int8 dense layer. */
#include "fully_connected_s8.h"

#include "fr_arith.h"

void fr_fully_connected_s8(const fr_view *y, const fr_view *x, const fr_fully_connected_s8_op *op, int32_t y0, int32_t y1,
                           void *work)
{
    int32_t row, o, i;
    (void)work;
    for (row = y0; row < y1; row++) {
        const int8_t *a = (const int8_t *)fr_row(x, row);
        int8_t *out = (int8_t *)fr_row(y, row);
        for (o = 0; o < op->outputs; o++) {
            const int8_t *w = op->weights + (ptrdiff_t)o * op->inputs;
            int32_t w_zero = op->weight_zero ? op->weight_zero[o] : 0;
            int32_t sum = op->bias ? op->bias[o] : 0;
            int32_t which = op->per_channel ? o : 0;
            for (i = 0; i < op->inputs; i++) {
                sum += (a[i] - op->in_zero) * (w[i] - w_zero);
            }
            sum = fr_requant(sum, op->multiplier[which], op->shift[which], op->single) + op->out_zero;
            out[o] = (int8_t)fr_clamp(sum, op->clamp_low, op->clamp_high);
        }
    }
}
