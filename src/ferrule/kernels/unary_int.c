/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Portable elementwise integer functions and tests. */
#include "unary_int.h"

#include <math.h>

static int32_t apply_i32(int32_t x, const fr_unary_int_op *op)
{
    switch (op->function) {
    case 0:
        return x < op->low ? (int32_t)op->low : (x > op->high ? (int32_t)op->high : x);
    case 1:
        return x < 0 ? (int32_t)(0u - (uint32_t)x) : x;
    case 2:
        return (int32_t)(0u - (uint32_t)x);
    default:
        return (int32_t)((x > 0) - (x < 0));
    }
}

void fr_unary_i32(const fr_view *y, const fr_view *x, const fr_unary_int_op *op, int32_t y0, int32_t y1, void *work)
{
    int32_t row, column, c;
    (void)work;
    for (row = y0; row < y1; row++) {
        const uint8_t *in = fr_row(x, row);
        uint8_t *out = fr_row(y, row);
        for (column = 0; column < op->width; column++) {
            for (c = 0; c < op->channels; c++) {
                int32_t v = ((const int32_t *)(const void *)in)[c];
                ((int32_t *)(void *)out)[c] = apply_i32(v, op);
            }
            in += x->pixel;
            out += y->pixel;
        }
    }
}

static int64_t apply_i64(int64_t x, const fr_unary_int_op *op)
{
    switch (op->function) {
    case 0:
        return x < op->low ? (int64_t)op->low : (x > op->high ? (int64_t)op->high : x);
    case 1:
        return x < 0 ? (int64_t)(0u - (uint64_t)x) : x;
    case 2:
        return (int64_t)(0u - (uint64_t)x);
    default:
        return (int64_t)((x > 0) - (x < 0));
    }
}

void fr_unary_i64(const fr_view *y, const fr_view *x, const fr_unary_int_op *op, int32_t y0, int32_t y1, void *work)
{
    int32_t row, column, c;
    (void)work;
    for (row = y0; row < y1; row++) {
        const uint8_t *in = fr_row(x, row);
        uint8_t *out = fr_row(y, row);
        for (column = 0; column < op->width; column++) {
            for (c = 0; c < op->channels; c++) {
                int64_t v = ((const int64_t *)(const void *)in)[c];
                ((int64_t *)(void *)out)[c] = apply_i64(v, op);
            }
            in += x->pixel;
            out += y->pixel;
        }
    }
}

static int8_t apply_i8(int8_t x, const fr_unary_int_op *op)
{
    switch (op->function) {
    case 0:
        return x < op->low ? (int8_t)op->low : (x > op->high ? (int8_t)op->high : x);
    case 1:
        return x < 0 ? (int8_t)(0u - (uint8_t)x) : x;
    case 2:
        return (int8_t)(0u - (uint8_t)x);
    default:
        return (int8_t)((x > 0) - (x < 0));
    }
}

void fr_unary_i8(const fr_view *y, const fr_view *x, const fr_unary_int_op *op, int32_t y0, int32_t y1, void *work)
{
    int32_t row, column, c;
    (void)work;
    for (row = y0; row < y1; row++) {
        const uint8_t *in = fr_row(x, row);
        uint8_t *out = fr_row(y, row);
        for (column = 0; column < op->width; column++) {
            for (c = 0; c < op->channels; c++) {
                int8_t v = ((const int8_t *)(const void *)in)[c];
                ((int8_t *)(void *)out)[c] = apply_i8(v, op);
            }
            in += x->pixel;
            out += y->pixel;
        }
    }
}

void fr_unary_not(const fr_view *y, const fr_view *x, const fr_unary_int_op *op, int32_t y0, int32_t y1, void *work)
{
    int32_t row, column, c;
    (void)work;
    for (row = y0; row < y1; row++) {
        const uint8_t *in = fr_row(x, row);
        uint8_t *out = fr_row(y, row);
        for (column = 0; column < op->width; column++) {
            for (c = 0; c < op->channels; c++) {
                uint8_t v = ((const uint8_t *)in)[c];
                ((uint8_t *)out)[c] = v == 0;
            }
            in += x->pixel;
            out += y->pixel;
        }
    }
}

void fr_unary_test_f32(const fr_view *y, const fr_view *x, const fr_unary_int_op *op, int32_t y0, int32_t y1, void *work)
{
    int32_t row, column, c;
    (void)work;
    for (row = y0; row < y1; row++) {
        const uint8_t *in = fr_row(x, row);
        uint8_t *out = fr_row(y, row);
        for (column = 0; column < op->width; column++) {
            for (c = 0; c < op->channels; c++) {
                float v = ((const float *)(const void *)in)[c];
                ((uint8_t *)out)[c] = op->function == 5 ? v != v : (v > 3.402823466e38f || v < -3.402823466e38f);
            }
            in += x->pixel;
            out += y->pixel;
        }
    }
}
