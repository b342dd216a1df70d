/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Slices of a tensor picked by index, elements of 1 to 8 bytes. */
#ifndef FR_GATHER_H
#define FR_GATHER_H

#include "fr_view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int32_t element_bytes;
    int32_t outer;          /* x is [batch][outer][length][inner], the indices are [batch][count] */
    int32_t length;
    int32_t inner;
    int32_t count;
    int32_t wide;           /* 1: indices of 64 bits, 0: of 32 */
    int32_t out_width;      /* how the tensors lie in rows of pixels of channels */
    int32_t out_channels;
    int32_t in_width;
    int32_t in_channels;
    int32_t index_width;
    int32_t index_channels;
} fr_gather_op;

void fr_gather_slices(const fr_view *y, const fr_view *x, const fr_view *index, const fr_gather_op *op, int32_t y0,
                      int32_t y1, void *work);

#ifdef __cplusplus
}
#endif
#endif
