/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Portable int8 convolution. Letters: n image, y/x output row/column, r/s kernel row/column, c channel, o output channel. */
#include "conv_s8.h"

#include "fr_arith.h"
#include "fr_window.h"

static int32_t dot(const int8_t *a, const int8_t *w, int32_t n, int32_t a_zero, int32_t w_zero)
{
    int32_t sum = 0;
    int32_t i;
    for (i = 0; i < n; i++) {
        sum += (a[i] - a_zero) * (w[i] - w_zero);
    }
    return sum;
}

/* All output channels of one pixel; taps [r0, r1) x [s0, s1) lie inside the image. */
static void pixel(int8_t *out, const fr_view *x, const fr_conv_s8_op *op, int32_t row, int32_t column, int32_t r0,
                  int32_t r1, int32_t s0, int32_t s1)
{
    int32_t depth = op->in_channels / op->groups;
    int32_t group_out = op->out_channels / op->groups;
    int32_t o, r, s;
    int32_t inside = 0;
    int32_t group_first = 0;
    for (o = 0; o < op->out_channels; o++) {
        const int8_t *w = op->weights + (ptrdiff_t)o * op->kernel_h * op->kernel_w * depth;
        int32_t w_zero = op->weight_zero ? op->weight_zero[o] : 0;
        int32_t sum = op->bias ? op->bias[o] : 0;
        int32_t which = op->per_channel ? o : 0;
        for (r = r0; r < r1; r++) {
            const uint8_t *line = fr_row(x, row + r * op->dilation_h) + group_first;
            for (s = s0; s < s1; s++) {
                const int8_t *a = (const int8_t *)(line + (ptrdiff_t)(column + s * op->dilation_w) * x->pixel);
                sum += dot(a, w + (r * op->kernel_w + s) * depth, depth, op->in_zero, w_zero);
            }
        }
        sum = fr_requant(sum, op->multiplier[which], op->shift[which], op->single) + op->out_zero;
        out[o] = (int8_t)fr_clamp(sum, op->clamp_low, op->clamp_high);
        if (++inside == group_out) {
            inside = 0;
            group_first += depth;
        }
    }
}

void fr_conv_s8(const fr_view *y, const fr_view *x, const fr_conv_s8_op *op, int32_t y0, int32_t y1, void *work)
{
    int32_t row, column;
    (void)work;
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
            pixel((int8_t *)out, x, op, image * op->in_height + top, left, r0, r1, s0, s1);
            out += y->pixel;
        }
    }
}
