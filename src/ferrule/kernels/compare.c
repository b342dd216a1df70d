/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Portable comparisons and logic. */
#include "compare.h"

#include "fr_binary.h"
#include "fr_broadcast.h"

static uint8_t apply_f32(float a, float b, int32_t function)
{
    switch (function) {
    case FR_EQUAL:
        return a == b;
    case FR_LESS:
        return a < b;
    case FR_GREATER:
        return a > b;
    case FR_LESS_EQUAL:
        return a <= b;
    case FR_GREATER_EQUAL:
        return a >= b;
    case FR_AND:
        return a != 0 && b != 0;
    case FR_OR:
        return a != 0 || b != 0;
    default:
        return (a != 0) != (b != 0);
    }
}

void fr_compare_f32(const fr_view *y, const fr_view *a, const fr_view *b, const fr_compare_op *op, int32_t y0,
                   int32_t y1, void *work)
{
    int32_t row, column, c;
    (void)work;
    for (row = y0; row < y1; row++) {
        const uint8_t *left = fr_row(a, fr_operand_row(row, op->row_axes, op->row_size, op->a_step));
        const uint8_t *right = fr_row(b, fr_operand_row(row, op->row_axes, op->row_size, op->b_step));
        uint8_t *out = fr_row(y, row);
        for (column = 0; column < op->width; column++) {
            const float *p = (const float *)(const void *)(left + (ptrdiff_t)column * op->a_pixel * a->pixel);
            const float *q = (const float *)(const void *)(right + (ptrdiff_t)column * op->b_pixel * b->pixel);
            uint8_t *o = (uint8_t *)(void *)(out + (ptrdiff_t)column * y->pixel);
            for (c = 0; c < op->channels; c++) {
                o[c] = apply_f32(p[c * op->a_channel], q[c * op->b_channel], op->function);
            }
        }
    }
}

static uint8_t apply_i32(int32_t a, int32_t b, int32_t function)
{
    switch (function) {
    case FR_EQUAL:
        return a == b;
    case FR_LESS:
        return a < b;
    case FR_GREATER:
        return a > b;
    case FR_LESS_EQUAL:
        return a <= b;
    case FR_GREATER_EQUAL:
        return a >= b;
    case FR_AND:
        return a != 0 && b != 0;
    case FR_OR:
        return a != 0 || b != 0;
    default:
        return (a != 0) != (b != 0);
    }
}

void fr_compare_i32(const fr_view *y, const fr_view *a, const fr_view *b, const fr_compare_op *op, int32_t y0,
                   int32_t y1, void *work)
{
    int32_t row, column, c;
    (void)work;
    for (row = y0; row < y1; row++) {
        const uint8_t *left = fr_row(a, fr_operand_row(row, op->row_axes, op->row_size, op->a_step));
        const uint8_t *right = fr_row(b, fr_operand_row(row, op->row_axes, op->row_size, op->b_step));
        uint8_t *out = fr_row(y, row);
        for (column = 0; column < op->width; column++) {
            const int32_t *p = (const int32_t *)(const void *)(left + (ptrdiff_t)column * op->a_pixel * a->pixel);
            const int32_t *q = (const int32_t *)(const void *)(right + (ptrdiff_t)column * op->b_pixel * b->pixel);
            uint8_t *o = (uint8_t *)(void *)(out + (ptrdiff_t)column * y->pixel);
            for (c = 0; c < op->channels; c++) {
                o[c] = apply_i32(p[c * op->a_channel], q[c * op->b_channel], op->function);
            }
        }
    }
}

static uint8_t apply_i64(int64_t a, int64_t b, int32_t function)
{
    switch (function) {
    case FR_EQUAL:
        return a == b;
    case FR_LESS:
        return a < b;
    case FR_GREATER:
        return a > b;
    case FR_LESS_EQUAL:
        return a <= b;
    case FR_GREATER_EQUAL:
        return a >= b;
    case FR_AND:
        return a != 0 && b != 0;
    case FR_OR:
        return a != 0 || b != 0;
    default:
        return (a != 0) != (b != 0);
    }
}

void fr_compare_i64(const fr_view *y, const fr_view *a, const fr_view *b, const fr_compare_op *op, int32_t y0,
                   int32_t y1, void *work)
{
    int32_t row, column, c;
    (void)work;
    for (row = y0; row < y1; row++) {
        const uint8_t *left = fr_row(a, fr_operand_row(row, op->row_axes, op->row_size, op->a_step));
        const uint8_t *right = fr_row(b, fr_operand_row(row, op->row_axes, op->row_size, op->b_step));
        uint8_t *out = fr_row(y, row);
        for (column = 0; column < op->width; column++) {
            const int64_t *p = (const int64_t *)(const void *)(left + (ptrdiff_t)column * op->a_pixel * a->pixel);
            const int64_t *q = (const int64_t *)(const void *)(right + (ptrdiff_t)column * op->b_pixel * b->pixel);
            uint8_t *o = (uint8_t *)(void *)(out + (ptrdiff_t)column * y->pixel);
            for (c = 0; c < op->channels; c++) {
                o[c] = apply_i64(p[c * op->a_channel], q[c * op->b_channel], op->function);
            }
        }
    }
}

static uint8_t apply_u8(uint8_t a, uint8_t b, int32_t function)
{
    switch (function) {
    case FR_EQUAL:
        return a == b;
    case FR_LESS:
        return a < b;
    case FR_GREATER:
        return a > b;
    case FR_LESS_EQUAL:
        return a <= b;
    case FR_GREATER_EQUAL:
        return a >= b;
    case FR_AND:
        return a != 0 && b != 0;
    case FR_OR:
        return a != 0 || b != 0;
    default:
        return (a != 0) != (b != 0);
    }
}

void fr_compare_u8(const fr_view *y, const fr_view *a, const fr_view *b, const fr_compare_op *op, int32_t y0,
                   int32_t y1, void *work)
{
    int32_t row, column, c;
    (void)work;
    for (row = y0; row < y1; row++) {
        const uint8_t *left = fr_row(a, fr_operand_row(row, op->row_axes, op->row_size, op->a_step));
        const uint8_t *right = fr_row(b, fr_operand_row(row, op->row_axes, op->row_size, op->b_step));
        uint8_t *out = fr_row(y, row);
        for (column = 0; column < op->width; column++) {
            const uint8_t *p = (const uint8_t *)(left + (ptrdiff_t)column * op->a_pixel * a->pixel);
            const uint8_t *q = (const uint8_t *)(right + (ptrdiff_t)column * op->b_pixel * b->pixel);
            uint8_t *o = (uint8_t *)(out + (ptrdiff_t)column * y->pixel);
            for (c = 0; c < op->channels; c++) {
                o[c] = apply_u8(p[c * op->a_channel], q[c * op->b_channel], op->function);
            }
        }
    }
}

static uint8_t apply_s8(int8_t a, int8_t b, int32_t function)
{
    switch (function) {
    case FR_EQUAL:
        return a == b;
    case FR_LESS:
        return a < b;
    case FR_GREATER:
        return a > b;
    case FR_LESS_EQUAL:
        return a <= b;
    case FR_GREATER_EQUAL:
        return a >= b;
    case FR_AND:
        return a != 0 && b != 0;
    case FR_OR:
        return a != 0 || b != 0;
    default:
        return (a != 0) != (b != 0);
    }
}

void fr_compare_s8(const fr_view *y, const fr_view *a, const fr_view *b, const fr_compare_op *op, int32_t y0,
                   int32_t y1, void *work)
{
    int32_t row, column, c;
    (void)work;
    for (row = y0; row < y1; row++) {
        const uint8_t *left = fr_row(a, fr_operand_row(row, op->row_axes, op->row_size, op->a_step));
        const uint8_t *right = fr_row(b, fr_operand_row(row, op->row_axes, op->row_size, op->b_step));
        uint8_t *out = fr_row(y, row);
        for (column = 0; column < op->width; column++) {
            const int8_t *p = (const int8_t *)(left + (ptrdiff_t)column * op->a_pixel * a->pixel);
            const int8_t *q = (const int8_t *)(right + (ptrdiff_t)column * op->b_pixel * b->pixel);
            uint8_t *o = (uint8_t *)(out + (ptrdiff_t)column * y->pixel);
            for (c = 0; c < op->channels; c++) {
                o[c] = apply_s8(p[c * op->a_channel], q[c * op->b_channel], op->function);
            }
        }
    }
}
