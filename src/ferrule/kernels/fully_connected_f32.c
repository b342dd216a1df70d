/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Portable float dense layer. */
#include "fully_connected_f32.h"

static void rows(const fr_view *y, const fr_view *x, const fr_fully_connected_f32_op *op, const float *weights, int32_t y0,
                 int32_t y1)
{
    int32_t row, o, i;
    for (row = y0; row < y1; row++) {
        const float *a = (const float *)(const void *)fr_row(x, row);
        float *out = (float *)(void *)fr_row(y, row);
        for (o = 0; o < op->outputs; o++) {
            const float *w = weights + (ptrdiff_t)o * op->inputs;
            float sum = op->bias ? op->bias[o] : 0.0f;
            for (i = 0; i < op->inputs; i++) {
                sum += a[i] * w[i];
            }
            sum = sum < op->clamp_low ? op->clamp_low : sum;
            out[o] = sum > op->clamp_high ? op->clamp_high : sum;
        }
    }
}

void fr_fully_connected_f32(const fr_view *y, const fr_view *x, const fr_fully_connected_f32_op *op, int32_t y0,
                            int32_t y1, void *work)
{
    (void)work;
    rows(y, x, op, op->weights, y0, y1);
}

void fr_fully_connected_w_f32(const fr_view *y, const fr_view *x, const fr_view *w, const fr_fully_connected_f32_op *op,
                              int32_t y0, int32_t y1, void *work)
{
    (void)work;
    rows(y, x, op, (const float *)w->base, y0, y1);
}
