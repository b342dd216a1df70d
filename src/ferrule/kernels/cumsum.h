/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Running sums along one axis: float32, int32, int64. */
#ifndef FR_CUMSUM_H
#define FR_CUMSUM_H

#include "fr_view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int32_t type;      /* 0 float, 1 int32, 2 int64 */
    int32_t outer;     /* the tensor is [outer][length][inner] */
    int32_t length;
    int32_t inner;
    int32_t exclusive; /* 1: an element is not part of its own sum */
    int32_t reverse;   /* 1: from the end */
    int32_t width;     /* how it lies in rows of pixels of channels */
    int32_t channels;
} fr_cumsum_op;

void fr_cumsum(const fr_view *y, const fr_view *x, const fr_cumsum_op *op, int32_t y0, int32_t y1, void *work);

#ifdef __cplusplus
}
#endif
#endif
