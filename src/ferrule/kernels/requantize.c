/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Portable requantization. */
#include "requantize.h"

#include "fr_arith.h"

void fr_requantize_s8_s8(const fr_view *y, const fr_view *x, const fr_requantize_op *op, int32_t y0, int32_t y1, void *work)
{
    int32_t row, column, c;
    (void)work;
    for (row = y0; row < y1; row++) {
        const uint8_t *in = fr_row(x, row);
        uint8_t *out = fr_row(y, row);
        for (column = 0; column < op->width; column++) {
            for (c = 0; c < op->channels; c++) {
                int32_t v = ((const int8_t *)in)[c] - op->in_zero;
                v = op->scaled ? fr_requant(v, op->multiplier, op->shift, op->single) : v;
                ((int8_t *)out)[c] = (int8_t)fr_clamp(v + op->out_zero, op->clamp_low, op->clamp_high);
            }
            in += x->pixel;
            out += y->pixel;
        }
    }
}

void fr_requantize_s8_u8(const fr_view *y, const fr_view *x, const fr_requantize_op *op, int32_t y0, int32_t y1, void *work)
{
    int32_t row, column, c;
    (void)work;
    for (row = y0; row < y1; row++) {
        const uint8_t *in = fr_row(x, row);
        uint8_t *out = fr_row(y, row);
        for (column = 0; column < op->width; column++) {
            for (c = 0; c < op->channels; c++) {
                int32_t v = ((const int8_t *)in)[c] - op->in_zero;
                v = op->scaled ? fr_requant(v, op->multiplier, op->shift, op->single) : v;
                ((uint8_t *)out)[c] = (uint8_t)fr_clamp(v + op->out_zero, op->clamp_low, op->clamp_high);
            }
            in += x->pixel;
            out += y->pixel;
        }
    }
}

void fr_requantize_s8_s16(const fr_view *y, const fr_view *x, const fr_requantize_op *op, int32_t y0, int32_t y1, void *work)
{
    int32_t row, column, c;
    (void)work;
    for (row = y0; row < y1; row++) {
        const uint8_t *in = fr_row(x, row);
        uint8_t *out = fr_row(y, row);
        for (column = 0; column < op->width; column++) {
            for (c = 0; c < op->channels; c++) {
                int32_t v = ((const int8_t *)in)[c] - op->in_zero;
                v = op->scaled ? fr_requant(v, op->multiplier, op->shift, op->single) : v;
                ((int16_t *)(void *)out)[c] = (int16_t)fr_clamp(v + op->out_zero, op->clamp_low, op->clamp_high);
            }
            in += x->pixel;
            out += y->pixel;
        }
    }
}

void fr_requantize_u8_s8(const fr_view *y, const fr_view *x, const fr_requantize_op *op, int32_t y0, int32_t y1, void *work)
{
    int32_t row, column, c;
    (void)work;
    for (row = y0; row < y1; row++) {
        const uint8_t *in = fr_row(x, row);
        uint8_t *out = fr_row(y, row);
        for (column = 0; column < op->width; column++) {
            for (c = 0; c < op->channels; c++) {
                int32_t v = ((const uint8_t *)in)[c] - op->in_zero;
                v = op->scaled ? fr_requant(v, op->multiplier, op->shift, op->single) : v;
                ((int8_t *)out)[c] = (int8_t)fr_clamp(v + op->out_zero, op->clamp_low, op->clamp_high);
            }
            in += x->pixel;
            out += y->pixel;
        }
    }
}

void fr_requantize_u8_u8(const fr_view *y, const fr_view *x, const fr_requantize_op *op, int32_t y0, int32_t y1, void *work)
{
    int32_t row, column, c;
    (void)work;
    for (row = y0; row < y1; row++) {
        const uint8_t *in = fr_row(x, row);
        uint8_t *out = fr_row(y, row);
        for (column = 0; column < op->width; column++) {
            for (c = 0; c < op->channels; c++) {
                int32_t v = ((const uint8_t *)in)[c] - op->in_zero;
                v = op->scaled ? fr_requant(v, op->multiplier, op->shift, op->single) : v;
                ((uint8_t *)out)[c] = (uint8_t)fr_clamp(v + op->out_zero, op->clamp_low, op->clamp_high);
            }
            in += x->pixel;
            out += y->pixel;
        }
    }
}

void fr_requantize_u8_s16(const fr_view *y, const fr_view *x, const fr_requantize_op *op, int32_t y0, int32_t y1, void *work)
{
    int32_t row, column, c;
    (void)work;
    for (row = y0; row < y1; row++) {
        const uint8_t *in = fr_row(x, row);
        uint8_t *out = fr_row(y, row);
        for (column = 0; column < op->width; column++) {
            for (c = 0; c < op->channels; c++) {
                int32_t v = ((const uint8_t *)in)[c] - op->in_zero;
                v = op->scaled ? fr_requant(v, op->multiplier, op->shift, op->single) : v;
                ((int16_t *)(void *)out)[c] = (int16_t)fr_clamp(v + op->out_zero, op->clamp_low, op->clamp_high);
            }
            in += x->pixel;
            out += y->pixel;
        }
    }
}

void fr_requantize_s16_s8(const fr_view *y, const fr_view *x, const fr_requantize_op *op, int32_t y0, int32_t y1, void *work)
{
    int32_t row, column, c;
    (void)work;
    for (row = y0; row < y1; row++) {
        const uint8_t *in = fr_row(x, row);
        uint8_t *out = fr_row(y, row);
        for (column = 0; column < op->width; column++) {
            for (c = 0; c < op->channels; c++) {
                int32_t v = ((const int16_t *)(const void *)in)[c] - op->in_zero;
                v = op->scaled ? fr_requant(v, op->multiplier, op->shift, op->single) : v;
                ((int8_t *)out)[c] = (int8_t)fr_clamp(v + op->out_zero, op->clamp_low, op->clamp_high);
            }
            in += x->pixel;
            out += y->pixel;
        }
    }
}

void fr_requantize_s16_u8(const fr_view *y, const fr_view *x, const fr_requantize_op *op, int32_t y0, int32_t y1, void *work)
{
    int32_t row, column, c;
    (void)work;
    for (row = y0; row < y1; row++) {
        const uint8_t *in = fr_row(x, row);
        uint8_t *out = fr_row(y, row);
        for (column = 0; column < op->width; column++) {
            for (c = 0; c < op->channels; c++) {
                int32_t v = ((const int16_t *)(const void *)in)[c] - op->in_zero;
                v = op->scaled ? fr_requant(v, op->multiplier, op->shift, op->single) : v;
                ((uint8_t *)out)[c] = (uint8_t)fr_clamp(v + op->out_zero, op->clamp_low, op->clamp_high);
            }
            in += x->pixel;
            out += y->pixel;
        }
    }
}

void fr_requantize_s16_s16(const fr_view *y, const fr_view *x, const fr_requantize_op *op, int32_t y0, int32_t y1, void *work)
{
    int32_t row, column, c;
    (void)work;
    for (row = y0; row < y1; row++) {
        const uint8_t *in = fr_row(x, row);
        uint8_t *out = fr_row(y, row);
        for (column = 0; column < op->width; column++) {
            for (c = 0; c < op->channels; c++) {
                int32_t v = ((const int16_t *)(const void *)in)[c] - op->in_zero;
                v = op->scaled ? fr_requant(v, op->multiplier, op->shift, op->single) : v;
                ((int16_t *)(void *)out)[c] = (int16_t)fr_clamp(v + op->out_zero, op->clamp_low, op->clamp_high);
            }
            in += x->pixel;
            out += y->pixel;
        }
    }
}
