/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Portable float convolution. Letters: r/s kernel row/column, o output channel. */
#include "conv_f32.h"

#include "fr_window.h"

/* All output channels of one pixel; taps [r0, r1) x [s0, s1) lie inside the image. */
static void pixel(float *out, const fr_view *x, const fr_conv_f32_op *op, const float *weights, const float *bias,
                  int32_t row, int32_t column, int32_t r0, int32_t r1, int32_t s0, int32_t s1)
{
    int32_t depth = op->in_channels / op->groups;
    int32_t group_out = op->out_channels / op->groups;
    int32_t inside = 0;
    int32_t group_first = 0;
    int32_t o, r, s, i;
    for (o = 0; o < op->out_channels; o++) {
        const float *w = weights + (ptrdiff_t)o * op->kernel_h * op->kernel_w * depth;
        float sum = bias ? bias[o] : 0.0f;
        for (r = r0; r < r1; r++) {
            const uint8_t *line = fr_row(x, row + r * op->dilation_h) + (ptrdiff_t)group_first * 4;
            for (s = s0; s < s1; s++) {
                const float *a = (const float *)(const void *)(line + (ptrdiff_t)(column + s * op->dilation_w) * x->pixel);
                const float *k = w + (r * op->kernel_w + s) * depth;
                for (i = 0; i < depth; i++) {
                    sum += a[i] * k[i];
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

static void rows(const fr_view *y, const fr_view *x, const fr_conv_f32_op *op, const float *weights, const float *bias,
                 int32_t y0, int32_t y1)
{
    int32_t row, column;
    for (row = y0; row < y1; row++) {
        int32_t image = row / op->out_height;
        int32_t top = (row - image * op->out_height) * op->stride_h - op->pad_top;
        int32_t r0 = fr_first_tap(top, op->dilation_h);
        int32_t r1 = fr_last_tap(top, op->dilation_h, op->in_height, op->kernel_h);
        uint8_t *out = fr_row(y, row);
        for (column = 0; column < op->out_width; column++) {
            int32_t left = column * op->stride_w - op->pad_left;
            int32_t s0 = fr_first_tap(left, op->dilation_w);
            int32_t s1 = fr_last_tap(left, op->dilation_w, op->in_width, op->kernel_w);
            pixel((float *)(void *)out, x, op, weights, bias, image * op->in_height + top, left, r0, r1, s0, s1);
            out += y->pixel;
        }
    }
}

void fr_conv_f32(const fr_view *y, const fr_view *x, const fr_conv_f32_op *op, int32_t y0, int32_t y1, void *work)
{
    (void)work;
    rows(y, x, op, op->weights, op->bias, y0, y1);
}

void fr_conv_w_f32(const fr_view *y, const fr_view *x, const fr_view *w, const fr_conv_f32_op *op, int32_t y0,
                   int32_t y1, void *work)
{
    (void)work;
    rows(y, x, op, (const float *)w->base, op->bias, y0, y1);
}

void fr_conv_wb_f32(const fr_view *y, const fr_view *x, const fr_view *w, const fr_view *b, const fr_conv_f32_op *op,
                    int32_t y0, int32_t y1, void *work)
{
    (void)work;
    rows(y, x, op, (const float *)w->base, (const float *)b->base, y0, y1);
}

void fr_conv_b_f32(const fr_view *y, const fr_view *x, const fr_view *b, const fr_conv_f32_op *op, int32_t y0,
                   int32_t y1, void *work)
{
    (void)work;
    rows(y, x, op, op->weights, (const float *)b->base, y0, y1);
}
