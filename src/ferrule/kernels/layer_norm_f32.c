/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Two passes for mean and variance, a third that writes; sums are taken in blocks, which keeps their error small. */
#include "layer_norm_f32.h"

#include <math.h>

enum { BLOCK = 64 };

/* Sum of x - mean, or of its squares. */
static float sum(const float *x, int32_t n, float mean, int32_t squares)
{
    float total = 0.0f;
    int32_t first, i;
    for (first = 0; first < n; first += BLOCK) {
        int32_t end = n - first < BLOCK ? n : first + BLOCK;
        float part = 0.0f;
        for (i = first; i < end; i++) {
            float v = x[i] - mean;
            part += squares ? v * v : v;
        }
        total += part;
    }
    return total;
}

static void pixel(float *y, const float *x, const fr_layer_norm_f32_op *op)
{
    int32_t n = op->channels;
    float mean = op->centre ? sum(x, n, 0.0f, 0) / (float)n : 0.0f;
    float factor = 1.0f / sqrtf(sum(x, n, mean, 1) / (float)n + op->epsilon);
    int32_t i;
    for (i = 0; i < n; i++) {
        float v = (x[i] - mean) * factor;
        v = op->scale ? v * op->scale[i] : v;
        y[i] = op->bias ? v + op->bias[i] : v;
    }
}

void fr_layer_norm_f32(const fr_view *y, const fr_view *x, const fr_layer_norm_f32_op *op, int32_t y0, int32_t y1,
                       void *work)
{
    int32_t row, column;
    (void)work;
    for (row = y0; row < y1; row++) {
        const uint8_t *from = fr_row(x, row);
        uint8_t *to = fr_row(y, row);
        for (column = 0; column < op->width; column++) {
            pixel((float *)(void *)to, (const float *)(const void *)from, op);
            from += x->pixel;
            to += y->pixel;
        }
    }
}
