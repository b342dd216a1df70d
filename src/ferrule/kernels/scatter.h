/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Slices of a tensor replaced by index or combined with updates. */
#ifndef FR_SCATTER_H
#define FR_SCATTER_H

#include "fr_view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int32_t element_bytes;
    int32_t type;      /* of elements that are combined: 0 float, 1 int32, 2 int64, 3 int8 */
    int32_t reduction; /* 0 replace, 1 add, 2 multiply, 3 minimum, 4 maximum */
    int32_t slices;
    int32_t inner;     /* elements of a slice */
    int32_t count;     /* updates */
    int32_t wide;      /* 1: indices of 64 bits, 0: of 32 */
} fr_scatter_op;

/* Slices are rows of one pixel; the vector of indices is one row. */
void fr_scatter(const fr_view *y, const fr_view *x, const fr_view *index, const fr_view *updates,
                const fr_scatter_op *op, int32_t y0, int32_t y1, void *work);

#ifdef __cplusplus
}
#endif
#endif
