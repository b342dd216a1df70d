/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Gathers what reaches each output pixel. Letters: r/s kernel row/column, o output channel. */
#include "conv_transpose_f32.h"

#include "fr_taps.h"

/* All output channels of one pixel. */
static void pixel(float *out, const fr_view *x, const fr_conv_transpose_f32_op *op, const float *weights,
                  const fr_taps *r, const fr_taps *s)
{
    int32_t depth = op->in_channels / op->groups;
    int32_t group_out = op->out_channels / op->groups;
    int32_t inside = 0;
    int32_t group_first = 0;
    int32_t o, i, j, c;
    for (o = 0; o < op->out_channels; o++) {
        const float *w = weights + (ptrdiff_t)o * op->kernel_h * op->kernel_w * depth;
        float sum = op->bias ? op->bias[o] : 0.0f;
        for (i = 0; i < r->count; i++) {
            const uint8_t *line = fr_row(x, r->at - i * r->back) + (ptrdiff_t)group_first * 4;
            int32_t tap = (r->first + i * r->step) * op->kernel_w + s->first;
            for (j = 0; j < s->count; j++) {
                const float *a = (const float *)(const void *)(line + (ptrdiff_t)(s->at - j * s->back) * x->pixel);
                const float *k = w + (ptrdiff_t)(tap + j * s->step) * depth;
                for (c = 0; c < depth; c++) {
                    sum += a[c] * k[c];
                }
            }
        }
        sum = sum < op->clamp_low ? op->clamp_low : sum;
        out[o] = sum > op->clamp_high ? op->clamp_high : sum;
        if (++inside == group_out) {
            inside = 0;
            group_first += depth;
        }
    }
}

static void rows(const fr_view *y, const fr_view *x, const fr_conv_transpose_f32_op *op, const float *weights,
                 int32_t y0, int32_t y1)
{
    int32_t row, column;
    for (row = y0; row < y1; row++) {
        int32_t image = row / op->out_height;
        fr_taps r = fr_taps_of(row - image * op->out_height + op->pad_top, op->kernel_h, op->stride_h, op->dilation_h,
                               op->every_h, op->in_height);
        uint8_t *out = fr_row(y, row);
        r.at += image * op->in_height;
        for (column = 0; column < op->out_width; column++) {
            fr_taps s = fr_taps_of(column + op->pad_left, op->kernel_w, op->stride_w, op->dilation_w, op->every_w,
                                   op->in_width);
            pixel((float *)(void *)out, x, op, weights, &r, &s);
            out += y->pixel;
        }
    }
}

void fr_conv_transpose_f32(const fr_view *y, const fr_view *x, const fr_conv_transpose_f32_op *op, int32_t y0,
                           int32_t y1, void *work)
{
    (void)work;
    rows(y, x, op, op->weights, y0, y1);
}

void fr_conv_transpose_w_f32(const fr_view *y, const fr_view *x, const fr_view *w, const fr_conv_transpose_f32_op *op,
                             int32_t y0, int32_t y1, void *work)
{
    (void)work;
    rows(y, x, op, (const float *)w->base, y0, y1);
}
