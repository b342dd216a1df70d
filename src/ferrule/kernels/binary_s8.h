/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Elementwise functions of two int8 tensors. */
#ifndef FR_BINARY_S8_H
#define FR_BINARY_S8_H

#include "fr_view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int32_t width;
    int32_t channels;
    int32_t row_axes; /* axes that y's rows count through */
    int32_t row_size[4];
    int32_t a_step[4]; /* rows of a per step along each; 0: the same for all */
    int32_t b_step[4];
    int32_t a_pixel; /* 1: a has a pixel for each of y; 0: one for all */
    int32_t a_channel;
    int32_t b_pixel;
    int32_t b_channel;
    int32_t function;
    int32_t a_zero;
    int32_t b_zero;
    int32_t out_zero;
    int32_t clamp_low;
    int32_t clamp_high;
    int32_t frac; /* > 0: operands times factors, rounded once at this binary place; 0: TFLite's roundings */
    int32_t factor[2];
    int32_t multiplier[3]; /* of a, b, result; mul uses the first alone */
    int32_t shift[3];
} fr_binary_s8_op;

void fr_binary_s8(const fr_view *y, const fr_view *a, const fr_view *b, const fr_binary_s8_op *op, int32_t y0,
                   int32_t y1, void *work);

#ifdef __cplusplus
}
#endif
#endif
