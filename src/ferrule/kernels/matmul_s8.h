/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Batched matrix product of int8 codes; all views dense. */
#ifndef FR_MATMUL_S8_H
#define FR_MATMUL_S8_H

#include "fr_view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int32_t batches;
    int32_t batch_size[4];  /* leading axes, outermost first, unused ones 1 */
    int32_t a_stride[4];    /* elements between neighbours; 0 where broadcast */
    int32_t b_stride[4];
    int32_t rows;
    int32_t inner;
    int32_t columns;
    int32_t a_zero;
    int32_t b_zero;
    int32_t out_zero;
    int32_t clamp_low;
    int32_t clamp_high;
    int32_t single;
    int32_t multiplier;
    int32_t shift;
} fr_matmul_s8_op;

void fr_matmul_s8(const fr_view *y, const fr_view *a, const fr_view *b, const fr_matmul_s8_op *op, int32_t y0, int32_t y1,
                  void *work);

#ifdef __cplusplus
}
#endif
#endif
