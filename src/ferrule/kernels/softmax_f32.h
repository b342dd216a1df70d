/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Softmax and its logarithm over the last axis, float. */
#ifndef FR_SOFTMAX_F32_H
#define FR_SOFTMAX_F32_H

#include "fr_view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int32_t width;
    int32_t channels;
    float beta;
    int32_t log;
} fr_softmax_f32_op;

void fr_softmax_f32(const fr_view *y, const fr_view *x, const fr_softmax_f32_op *op, int32_t y0, int32_t y1, void *work);

#ifdef __cplusplus
}
#endif
#endif
