/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* An axis that marks an index, elements of 1 to 8 bytes. */
#ifndef FR_ONE_HOT_H
#define FR_ONE_HOT_H

#include "fr_view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int32_t element_bytes;
    int32_t depth;
    int32_t inner;          /* the output is [outer][depth][inner], the indices [outer][inner] */
    int32_t negative;       /* 1: a negative index counts from the end */
    int32_t wide;           /* 1: indices of 64 bits, 0: of 32 */
    int32_t out_width;
    int32_t out_channels;
    int32_t index_width;
    int32_t index_channels;
    uint8_t on[8];          /* an element, as it lies in memory */
    uint8_t off[8];
} fr_one_hot_op;

void fr_one_hot(const fr_view *y, const fr_view *index, const fr_one_hot_op *op, int32_t y0, int32_t y1, void *work);

#ifdef __cplusplus
}
#endif
#endif
