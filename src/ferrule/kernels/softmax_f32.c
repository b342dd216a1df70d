/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Portable float softmax. */
#include "softmax_f32.h"

#include <math.h>

static void pixel(float *out, const float *in, const fr_softmax_f32_op *op)
{
    float top = in[0];
    float sum = 0.0f;
    int32_t c;
    for (c = 1; c < op->channels; c++) {
        top = in[c] > top ? in[c] : top;
    }
    for (c = 0; c < op->channels; c++) {
        float shifted = (in[c] - top) * op->beta;
        float e = expf(shifted);
        sum += e;
        out[c] = op->log ? shifted : e;
    }
    if (op->log) {
        float log_sum = logf(sum);
        for (c = 0; c < op->channels; c++) {
            out[c] -= log_sum;
        }
    } else {
        for (c = 0; c < op->channels; c++) {
            out[c] /= sum;
        }
    }
}

void fr_softmax_f32(const fr_view *y, const fr_view *x, const fr_softmax_f32_op *op, int32_t y0, int32_t y1, void *work)
{
    int32_t row, column;
    (void)work;
    for (row = y0; row < y1; row++) {
        const uint8_t *in = fr_row(x, row);
        uint8_t *out = fr_row(y, row);
        for (column = 0; column < op->width; column++) {
            pixel((float *)(void *)out, (const float *)(const void *)in, op);
            in += x->pixel;
            out += y->pixel;
        }
    }
}
