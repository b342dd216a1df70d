/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Reductions over axes; all views dense. */
#ifndef FR_REDUCE_H
#define FR_REDUCE_H

#include "fr_view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int32_t outputs;         /* elements of the output */
    int32_t count;           /* elements reduced into each */
    int32_t out_size[6];     /* kept axes, outermost first, unused ones 1 */
    int32_t out_stride[6];   /* elements of x between neighbours */
    int32_t in_size[6];      /* reduced axes */
    int32_t in_stride[6];
    int32_t function;        /* 0 mean, 1 sum, 2 max, 3 min, 4 prod, 5 l1, 6 l2, 7 sum of squares, 8 log sum, 9 log sum exp */
} fr_reduce_op;

void fr_reduce_f32(const fr_view *y, const fr_view *x, const fr_reduce_op *op, int32_t y0, int32_t y1, void *work);
void fr_reduce_i32(const fr_view *y, const fr_view *x, const fr_reduce_op *op, int32_t y0, int32_t y1, void *work);
void fr_reduce_i64(const fr_view *y, const fr_view *x, const fr_reduce_op *op, int32_t y0, int32_t y1, void *work);

#ifdef __cplusplus
}
#endif
#endif
