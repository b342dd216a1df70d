/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Portable int8 softmax, in fixed point as TFLite's reference, or rounded once. */
#include "softmax_s8.h"

#include "fr_arith.h"

/* v * 2**n, saturated. */
static int32_t shift_up(int32_t v, int32_t n)
{
    int64_t wide = (int64_t)v * ((int64_t)1 << n);
    return wide > INT32_MAX ? INT32_MAX : (wide < INT32_MIN ? INT32_MIN : (int32_t)wide);
}

static int32_t leading_zeros(uint32_t v)
{
    int32_t n = 0;
    while (n < 32 && !(v & 0x80000000u)) {
        v <<= 1;
        n++;
    }
    return n;
}

/* 1 / (1 + a) for a in [0, 1), all in 31 fractional bits: three Newton-Raphson steps from 48/17 - 32/17 d. */
static int32_t one_over_one_plus(int32_t a)
{
    int64_t total = (int64_t)a + INT32_MAX;
    int32_t half = (int32_t)((total + 1) / 2);
    int32_t x = 1515870810 + fr_doubling_high(half, -1010580540);
    int32_t step;
    for (step = 0; step < 3; step++) {
        int32_t rest = (1 << 29) - fr_doubling_high(half, x);
        x += shift_up(fr_doubling_high(x, rest), 2);
    }
    return shift_up(x, 1);
}

static void double_rounded(int8_t *out, const int8_t *in, int32_t top, const fr_softmax_s8_op *op)
{
    int32_t sum = 0;
    int32_t headroom, scale, c;
    for (c = 0; c < op->channels; c++) {
        sum += fr_divide_pot(op->exps[top - in[c]], 12);
    }
    headroom = leading_zeros((uint32_t)sum);
    scale = one_over_one_plus((int32_t)(((uint32_t)sum << headroom) - 0x80000000u));
    for (c = 0; c < op->channels; c++) {
        int32_t e = op->exps[top - in[c]];
        int32_t v = -128;
        if (e > 0) {
            v = fr_divide_pot(fr_doubling_high(scale, e), 12 - headroom + 31 - 8) - 128;
        }
        out[c] = (int8_t)fr_clamp(v, -128, 127);
    }
}

static void single_rounded(int8_t *out, const int8_t *in, int32_t top, const fr_softmax_s8_op *op)
{
    int64_t sum = 0;
    int32_t c;
    for (c = 0; c < op->channels; c++) {
        sum += op->exps[top - in[c]];
    }
    sum *= 1 << 20;
    for (c = 0; c < op->channels; c++) {
        int64_t v = (2 * (int64_t)op->exps[top - in[c]] * op->factor + sum) / (2 * sum) + op->out_zero;
        out[c] = (int8_t)(v > 127 ? 127 : (v < -128 ? -128 : v));
    }
}

void fr_softmax_s8(const fr_view *y, const fr_view *x, const fr_softmax_s8_op *op, int32_t y0, int32_t y1, void *work)
{
    int32_t row, column, c;
    (void)work;
    for (row = y0; row < y1; row++) {
        const uint8_t *in = fr_row(x, row);
        uint8_t *out = fr_row(y, row);
        for (column = 0; column < op->width; column++) {
            const int8_t *a = (const int8_t *)in;
            int32_t top = -128;
            for (c = 0; c < op->channels; c++) {
                top = fr_max(top, a[c]);
            }
            if (op->factor) {
                single_rounded((int8_t *)out, a, top, op);
            } else {
                double_rounded((int8_t *)out, a, top, op);
            }
            in += x->pixel;
            out += y->pixel;
        }
    }
}
