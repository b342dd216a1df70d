/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Portable int8 pooling. */
#include "pool_s8.h"

#include "fr_arith.h"
#include "fr_window.h"

/* Taps of an axis between the declared pads. */
static int32_t padded_taps(int32_t start, int32_t step, int32_t size, int32_t taps, int32_t before, int32_t after)
{
    return fr_last_tap(start + before, step, size + before + after, taps) - fr_first_tap(start + before, step);
}

typedef struct {
    int32_t row, column, r0, r1, s0, s1, count;
} window;

static int32_t finish(int32_t sum, int32_t count, const fr_pool_s8_op *op)
{
    if (op->multiplier != NULL) {
        return fr_requant_single(sum, op->multiplier[count - 1], op->shift[count - 1]) + op->out_zero;
    }
    return sum > 0 ? (sum + count / 2) / count : (sum - count / 2) / count;
}

static void pixel(int8_t *out, const fr_view *x, const fr_pool_s8_op *op, const window *w)
{
    int32_t centre = op->multiplier != NULL ? op->in_zero : 0;
    int32_t c, r, s;
    for (c = 0; c < op->in_channels; c++) {
        int32_t best = -128;
        int32_t sum = 0;
        for (r = w->r0; r < w->r1; r++) {
            const uint8_t *line = fr_row(x, w->row + r * op->dilation_h) + c;
            for (s = w->s0; s < w->s1; s++) {
                int32_t v = *(const int8_t *)(line + (ptrdiff_t)(w->column + s * op->dilation_w) * x->pixel);
                best = v > best ? v : best;
                sum += v - centre;
            }
        }
        if (op->maximum) {
            sum = op->multiplier != NULL ? finish(best - centre, 1, op) : best;
        } else {
            sum = finish(sum, w->count > 0 ? w->count : 1, op);
        }
        out[c] = (int8_t)fr_clamp(sum, op->clamp_low, op->clamp_high);
    }
}

void fr_pool_s8(const fr_view *y, const fr_view *x, const fr_pool_s8_op *op, int32_t y0, int32_t y1, void *work)
{
    int32_t row, column;
    (void)work;
    for (row = y0; row < y1; row++) {
        int32_t image = row / op->out_height;
        int32_t top = (row - image * op->out_height) * op->stride_h - op->pad_top;
        uint8_t *out = fr_row(y, row);
        window w;
        w.row = image * op->in_height + top;
        w.r0 = fr_first_tap(top, op->dilation_h);
        w.r1 = fr_last_tap(top, op->dilation_h, op->in_height, op->kernel_h);
        for (column = 0; column < op->out_width; column++) {
            w.column = column * op->stride_w - op->pad_left;
            w.s0 = fr_first_tap(w.column, op->dilation_w);
            w.s1 = fr_last_tap(w.column, op->dilation_w, op->in_width, op->kernel_w);
            w.count = (w.r1 - w.r0) * (w.s1 - w.s0);
            if (op->count_pads) {
                w.count = padded_taps(top, op->dilation_h, op->in_height, op->kernel_h, op->pad_top, op->pad_bottom) *
                          padded_taps(w.column, op->dilation_w, op->in_width, op->kernel_w, op->pad_left, op->pad_right);
            }
            pixel((int8_t *)out, x, op, &w);
            out += y->pixel;
        }
    }
}
