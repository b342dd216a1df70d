/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* The largest or smallest elements of an axis, best first. */
#ifndef FR_TOP_K_H
#define FR_TOP_K_H

#include "fr_view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int32_t type;          /* 0 float, 1 int8, 2 uint8, 3 int16, 4 int32, 5 int64 */
    int32_t element_bytes;
    int32_t outer;         /* the input is [outer][length][inner], the outputs [outer][count][inner] */
    int32_t length;
    int32_t count;
    int32_t inner;
    int32_t largest;
    int32_t wide;          /* 1: indices of 64 bits, 0: of 32 */
} fr_top_k_op;

/* Views are dense. */
void fr_top_k(const fr_view *values, const fr_view *indices, const fr_view *x, const fr_top_k_op *op, int32_t y0,
              int32_t y1, void *work);

#ifdef __cplusplus
}
#endif
#endif
