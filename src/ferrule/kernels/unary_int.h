/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Elementwise functions of plain integers, and tests that make bool. */
#ifndef FR_UNARY_INT_H
#define FR_UNARY_INT_H

#include "fr_view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int32_t width;
    int32_t channels;
    int32_t function; /* 0 clip, 1 abs, 2 neg, 3 sign, 4 logical not, 5 not a number, 6 infinite */
    int64_t low;
    int64_t high;
} fr_unary_int_op;

void fr_unary_i32(const fr_view *y, const fr_view *x, const fr_unary_int_op *op, int32_t y0, int32_t y1, void *work);
void fr_unary_i64(const fr_view *y, const fr_view *x, const fr_unary_int_op *op, int32_t y0, int32_t y1, void *work);
void fr_unary_i8(const fr_view *y, const fr_view *x, const fr_unary_int_op *op, int32_t y0, int32_t y1, void *work);
void fr_unary_not(const fr_view *y, const fr_view *x, const fr_unary_int_op *op, int32_t y0, int32_t y1, void *work);
void fr_unary_test_f32(const fr_view *y, const fr_view *x, const fr_unary_int_op *op, int32_t y0, int32_t y1, void *work);

#ifdef __cplusplus
}
#endif
#endif
