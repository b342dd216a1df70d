/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Portable int8 PRelu, rounded once. */
#include "prelu_s8.h"

#include "fr_broadcast.h"

#include "fr_arith.h"

void fr_prelu_s8(const fr_view *y, const fr_view *x, const fr_view *s, const fr_prelu_s8_op *op, int32_t y0, int32_t y1,
                  void *work)
{
    int32_t row, column, c;
    (void)work;
    for (row = y0; row < y1; row++) {
        const uint8_t *in = fr_row(x, row);
        const uint8_t *slopes = fr_row(s, fr_operand_row(row, op->row_axes, op->row_size, op->slope_step));
        uint8_t *out = fr_row(y, row);
        for (column = 0; column < op->width; column++) {
            const int8_t *p = (const int8_t *)(in + (ptrdiff_t)column * x->pixel);
            const int8_t *q = (const int8_t *)(slopes + (ptrdiff_t)column * op->slope_pixel * s->pixel);
            int8_t *o = (int8_t *)(out + (ptrdiff_t)column * y->pixel);
            for (c = 0; c < op->channels; c++) {
                int32_t v = p[c] - op->in_zero;
                int64_t t;
                if (v >= 0) {
                    t = (int64_t)v * op->factor[0];
                } else {
                    t = (int64_t)(v * (q[c * op->slope_channel] - op->slope_zero)) * op->factor[1];
                }
                t = ((t + (1 << 23)) >> 24) + op->out_zero;
                o[c] = (int8_t)(t > 127 ? 127 : (t < -128 ? -128 : t));
            }
        }
    }
}
