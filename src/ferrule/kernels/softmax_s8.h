/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Softmax of int8 codes over the last axis. */
#ifndef FR_SOFTMAX_S8_H
#define FR_SOFTMAX_S8_H

#include "fr_view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int32_t width;
    int32_t channels;
    int32_t out_zero; /* factor > 0 only */
    int32_t factor;   /* 0: TFLite's fixed point; else 2**20 / output scale */
    const int32_t *exps; /* by distance below the maximum, 256 entries */
} fr_softmax_s8_op;

void fr_softmax_s8(const fr_view *y, const fr_view *x, const fr_softmax_s8_op *op, int32_t y0, int32_t y1, void *work);

#ifdef __cplusplus
}
#endif
#endif
