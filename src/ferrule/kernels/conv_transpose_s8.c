/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Gathers what reaches each output pixel. Letters: r/s kernel row/column, o output channel. */
#include "conv_transpose_s8.h"

#include "fr_arith.h"
#include "fr_taps.h"

static int32_t dot(const int8_t *a, const int8_t *w, int32_t n, int32_t a_zero, int32_t w_zero)
{
    int32_t sum = 0;
    int32_t i;
    for (i = 0; i < n; i++) {
        sum += (a[i] - a_zero) * (w[i] - w_zero);
    }
    return sum;
}

/* All output channels of one pixel. */
static void pixel(int8_t *out, const fr_view *x, const fr_conv_transpose_s8_op *op, const fr_taps *r, const fr_taps *s)
{
    int32_t depth = op->in_channels / op->groups;
    int32_t group_out = op->out_channels / op->groups;
    int32_t inside = 0;
    int32_t group_first = 0;
    int32_t o, i, j;
    for (o = 0; o < op->out_channels; o++) {
        const int8_t *w = op->weights + (ptrdiff_t)o * op->kernel_h * op->kernel_w * depth;
        int32_t w_zero = op->weight_zero ? op->weight_zero[o] : 0;
        int32_t sum = op->bias ? op->bias[o] : 0;
        int32_t which = op->per_channel ? o : 0;
        for (i = 0; i < r->count; i++) {
            const uint8_t *line = fr_row(x, r->at - i * r->back) + group_first;
            int32_t tap = (r->first + i * r->step) * op->kernel_w + s->first;
            for (j = 0; j < s->count; j++) {
                const int8_t *a = (const int8_t *)(line + (ptrdiff_t)(s->at - j * s->back) * x->pixel);
                sum += dot(a, w + (ptrdiff_t)(tap + j * s->step) * depth, depth, op->in_zero, w_zero);
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

void fr_conv_transpose_s8(const fr_view *y, const fr_view *x, const fr_conv_transpose_s8_op *op, int32_t y0, int32_t y1,
                          void *work)
{
    int32_t row, column;
    (void)work;
    for (row = y0; row < y1; row++) {
        int32_t image = row / op->out_height;
        fr_taps r = fr_taps_of(row - image * op->out_height + op->pad_top, op->kernel_h, op->stride_h, op->dilation_h,
                               op->every_h, op->in_height);
        uint8_t *out = fr_row(y, row);
        r.at += image * op->in_height;
        for (column = 0; column < op->out_width; column++) {
            fr_taps s = fr_taps_of(column + op->pad_left, op->kernel_w, op->stride_w, op->dilation_w, op->every_w,
                                   op->in_width);
            pixel((int8_t *)out, x, op, &r, &s);
            out += y->pixel;
        }
    }
}
