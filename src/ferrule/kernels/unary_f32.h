/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Elementwise float functions. */
#ifndef FR_UNARY_F32_H
#define FR_UNARY_F32_H

#include "fr_view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int32_t width;
    int32_t channels;
    int32_t function;
    float a;
    float b;
} fr_unary_f32_op;

void fr_unary_f32(const fr_view *y, const fr_view *x, const fr_unary_f32_op *op, int32_t y0, int32_t y1, void *work);

#ifdef __cplusplus
}
#endif
#endif
