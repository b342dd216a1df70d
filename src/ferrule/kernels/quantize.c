/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Portable quantization and dequantization. */
#include "quantize.h"

#include <math.h>

/* The code of a real value before clamping, within +-2**40 of the zero point; NaN counts as 0. */
static int64_t code_of(float v, const fr_quantize_op *op, int32_t c)
{
    int32_t which = op->per_channel ? c : 0;
    float ratio = v / op->scale[which];
    if (!(ratio > -1099511627776.0f)) {
        ratio = ratio != ratio ? 0.0f : -1099511627776.0f;
    }
    ratio = ratio > 1099511627776.0f ? 1099511627776.0f : ratio;
    if (op->away) {
        ratio = truncf(ratio + (ratio < 0.0f ? -0.5f : 0.5f));
    } else {
        ratio = rintf(ratio);
    }
    return (int64_t)ratio + op->zero[which];
}

void fr_quantize_s8(const fr_view *y, const fr_view *x, const fr_quantize_op *op, int32_t y0, int32_t y1, void *work)
{
    int32_t row, column, c;
    (void)work;
    for (row = y0; row < y1; row++) {
        const uint8_t *in = fr_row(x, row);
        uint8_t *out = fr_row(y, row);
        for (column = 0; column < op->width; column++) {
            for (c = 0; c < op->channels; c++) {
                int64_t v = code_of(((const float *)(const void *)in)[c], op, c);
                v = v < -128 ? -128 : (v > 127 ? 127 : v);
                ((int8_t *)out)[c] = (int8_t)v;
            }
            in += x->pixel;
            out += y->pixel;
        }
    }
}

void fr_dequantize_s8(const fr_view *y, const fr_view *x, const fr_quantize_op *op, int32_t y0, int32_t y1, void *work)
{
    int32_t row, column, c;
    (void)work;
    for (row = y0; row < y1; row++) {
        const uint8_t *in = fr_row(x, row);
        uint8_t *out = fr_row(y, row);
        for (column = 0; column < op->width; column++) {
            for (c = 0; c < op->channels; c++) {
                int32_t which = op->per_channel ? c : 0;
                int64_t v = (int64_t)((const int8_t *)in)[c] - op->zero[which];
                ((float *)(void *)out)[c] = (float)v * op->scale[which];
            }
            in += x->pixel;
            out += y->pixel;
        }
    }
}

void fr_quantize_u8(const fr_view *y, const fr_view *x, const fr_quantize_op *op, int32_t y0, int32_t y1, void *work)
{
    int32_t row, column, c;
    (void)work;
    for (row = y0; row < y1; row++) {
        const uint8_t *in = fr_row(x, row);
        uint8_t *out = fr_row(y, row);
        for (column = 0; column < op->width; column++) {
            for (c = 0; c < op->channels; c++) {
                int64_t v = code_of(((const float *)(const void *)in)[c], op, c);
                v = v < 0 ? 0 : (v > 255 ? 255 : v);
                ((uint8_t *)out)[c] = (uint8_t)v;
            }
            in += x->pixel;
            out += y->pixel;
        }
    }
}

void fr_dequantize_u8(const fr_view *y, const fr_view *x, const fr_quantize_op *op, int32_t y0, int32_t y1, void *work)
{
    int32_t row, column, c;
    (void)work;
    for (row = y0; row < y1; row++) {
        const uint8_t *in = fr_row(x, row);
        uint8_t *out = fr_row(y, row);
        for (column = 0; column < op->width; column++) {
            for (c = 0; c < op->channels; c++) {
                int32_t which = op->per_channel ? c : 0;
                int64_t v = (int64_t)((const uint8_t *)in)[c] - op->zero[which];
                ((float *)(void *)out)[c] = (float)v * op->scale[which];
            }
            in += x->pixel;
            out += y->pixel;
        }
    }
}

void fr_quantize_s16(const fr_view *y, const fr_view *x, const fr_quantize_op *op, int32_t y0, int32_t y1, void *work)
{
    int32_t row, column, c;
    (void)work;
    for (row = y0; row < y1; row++) {
        const uint8_t *in = fr_row(x, row);
        uint8_t *out = fr_row(y, row);
        for (column = 0; column < op->width; column++) {
            for (c = 0; c < op->channels; c++) {
                int64_t v = code_of(((const float *)(const void *)in)[c], op, c);
                v = v < -32768 ? -32768 : (v > 32767 ? 32767 : v);
                ((int16_t *)(void *)out)[c] = (int16_t)v;
            }
            in += x->pixel;
            out += y->pixel;
        }
    }
}

void fr_dequantize_s16(const fr_view *y, const fr_view *x, const fr_quantize_op *op, int32_t y0, int32_t y1, void *work)
{
    int32_t row, column, c;
    (void)work;
    for (row = y0; row < y1; row++) {
        const uint8_t *in = fr_row(x, row);
        uint8_t *out = fr_row(y, row);
        for (column = 0; column < op->width; column++) {
            for (c = 0; c < op->channels; c++) {
                int32_t which = op->per_channel ? c : 0;
                int64_t v = (int64_t)((const int16_t *)(const void *)in)[c] - op->zero[which];
                ((float *)(void *)out)[c] = (float)v * op->scale[which];
            }
            in += x->pixel;
            out += y->pixel;
        }
    }
}

void fr_quantize_s32(const fr_view *y, const fr_view *x, const fr_quantize_op *op, int32_t y0, int32_t y1, void *work)
{
    int32_t row, column, c;
    (void)work;
    for (row = y0; row < y1; row++) {
        const uint8_t *in = fr_row(x, row);
        uint8_t *out = fr_row(y, row);
        for (column = 0; column < op->width; column++) {
            for (c = 0; c < op->channels; c++) {
                int64_t v = code_of(((const float *)(const void *)in)[c], op, c);
                v = v < INT32_MIN ? INT32_MIN : (v > INT32_MAX ? INT32_MAX : v);
                ((int32_t *)(void *)out)[c] = (int32_t)v;
            }
            in += x->pixel;
            out += y->pixel;
        }
    }
}

void fr_dequantize_s32(const fr_view *y, const fr_view *x, const fr_quantize_op *op, int32_t y0, int32_t y1, void *work)
{
    int32_t row, column, c;
    (void)work;
    for (row = y0; row < y1; row++) {
        const uint8_t *in = fr_row(x, row);
        uint8_t *out = fr_row(y, row);
        for (column = 0; column < op->width; column++) {
            for (c = 0; c < op->channels; c++) {
                int32_t which = op->per_channel ? c : 0;
                int64_t v = (int64_t)((const int32_t *)(const void *)in)[c] - op->zero[which];
                ((float *)(void *)out)[c] = (float)v * op->scale[which];
            }
            in += x->pixel;
            out += y->pixel;
        }
    }
}
