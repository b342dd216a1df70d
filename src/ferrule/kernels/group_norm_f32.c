/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Two passes for mean and variance of a group, a third that writes it; sums are taken pixel by pixel, row by row. */
#include "group_norm_f32.h"

#include <math.h>

/* The part of an image that one statistic is about. */
typedef struct {
    int32_t row;
    int32_t channel;
    int32_t count; /* channels */
} block;

/* Sum of x - mean over a group, or of its squares. */
static float sum(const fr_view *x, const fr_group_norm_f32_op *op, const block *at, float mean, int32_t squares)
{
    float total = 0.0f;
    int32_t row, column, c;
    for (row = 0; row < op->height; row++) {
        const uint8_t *from = fr_row(x, at->row + row) + (ptrdiff_t)at->channel * 4;
        float line = 0.0f;
        for (column = 0; column < op->width; column++) {
            const float *v = (const float *)(const void *)from;
            float part = 0.0f;
            for (c = 0; c < at->count; c++) {
                float centred = v[c] - mean;
                part += squares ? centred * centred : centred;
            }
            line += part;
            from += x->pixel;
        }
        total += line;
    }
    return total;
}

static void write(const fr_view *y, const fr_view *x, const fr_group_norm_f32_op *op, const block *at, float mean,
                  float factor)
{
    int32_t row, column, c;
    for (row = 0; row < op->height; row++) {
        const uint8_t *from = fr_row(x, at->row + row) + (ptrdiff_t)at->channel * 4;
        uint8_t *to = fr_row(y, at->row + row) + (ptrdiff_t)at->channel * 4;
        for (column = 0; column < op->width; column++) {
            const float *in = (const float *)(const void *)from;
            float *out = (float *)(void *)to;
            for (c = 0; c < at->count; c++) {
                float v = (in[c] - mean) * factor;
                v = op->scale ? v * op->scale[at->channel + c] : v;
                out[c] = op->bias ? v + op->bias[at->channel + c] : v;
            }
            from += x->pixel;
            to += y->pixel;
        }
    }
}

void fr_group_norm_f32(const fr_view *y, const fr_view *x, const fr_group_norm_f32_op *op, int32_t y0, int32_t y1,
                       void *work)
{
    int32_t image, group;
    (void)work;
    (void)y0;
    (void)y1;
    for (image = 0; image < op->images; image++) {
        for (group = 0; group < op->groups; group++) {
            block at;
            float count, mean, variance;
            at.row = image * op->height;
            at.count = op->channels / op->groups;
            at.channel = group * at.count;
            count = (float)op->height * (float)op->width * (float)at.count;
            mean = sum(x, op, &at, 0.0f, 0) / count;
            variance = sum(x, op, &at, mean, 1) / count;
            write(y, x, op, &at, mean, 1.0f / sqrtf(variance + op->epsilon));
        }
    }
}
