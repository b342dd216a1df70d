/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Rows of int8 activations times int8 weights. */
#ifndef FR_FULLY_CONNECTED_S8_H
#define FR_FULLY_CONNECTED_S8_H

#include "fr_view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int32_t inputs;
    int32_t outputs;
    int32_t in_zero;
    int32_t out_zero;
    int32_t clamp_low;
    int32_t clamp_high;
    int32_t single;      /* 1: requantization rounds once; 0: twice */
    int32_t per_channel; /* 1: a multiplier for each output */
    const int8_t *weights;     /* [outputs][inputs] */
    const int8_t *weight_zero; /* [outputs], or NULL: all 0 */
    const int32_t *bias;       /* [outputs], or NULL */
    const int32_t *multiplier;
    const int32_t *shift;
} fr_fully_connected_s8_op;

void fr_fully_connected_s8(const fr_view *y, const fr_view *x, const fr_fully_connected_s8_op *op, int32_t y0, int32_t y1,
                           void *work);

#ifdef __cplusplus
}
#endif
#endif
