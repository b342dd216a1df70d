/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Batched matrix product of float; all views dense. */
#ifndef FR_MATMUL_F32_H
#define FR_MATMUL_F32_H

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
    float clamp_low;
    float clamp_high;
} fr_matmul_f32_op;

void fr_matmul_f32(const fr_view *y, const fr_view *a, const fr_view *b, const fr_matmul_f32_op *op, int32_t y0,
                   int32_t y1, void *work);

#ifdef __cplusplus
}
#endif
#endif
