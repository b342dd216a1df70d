/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Portable float PRelu. */
#include "prelu_f32.h"

#include "fr_broadcast.h"

void fr_prelu_f32(const fr_view *y, const fr_view *x, const fr_view *s, const fr_prelu_f32_op *op, int32_t y0, int32_t y1,
                  void *work)
{
    int32_t row, column, c;
    (void)work;
    for (row = y0; row < y1; row++) {
        const uint8_t *in = fr_row(x, row);
        const uint8_t *slopes = fr_row(s, fr_operand_row(row, op->row_axes, op->row_size, op->slope_step));
        uint8_t *out = fr_row(y, row);
        for (column = 0; column < op->width; column++) {
            const float *p = (const float *)(const void *)(in + (ptrdiff_t)column * x->pixel);
            const float *q = (const float *)(const void *)(slopes + (ptrdiff_t)column * op->slope_pixel * s->pixel);
            float *o = (float *)(void *)(out + (ptrdiff_t)column * y->pixel);
            for (c = 0; c < op->channels; c++) {
                float v = p[c];
                o[c] = v >= 0.0f ? v : v * q[c * op->slope_channel];
            }
        }
    }
}
