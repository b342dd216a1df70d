/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Operators that carry elements by an affine rule: transpose, slice, expand, tile, rearrange. Elements of 1 to 8 bytes. */
#ifndef FR_STRIDED_H
#define FR_STRIDED_H

#include "fr_view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int32_t element_bytes;
    int32_t row_loops;     /* loops [0, row_loops) make the output's rows, outermost first */
    int32_t pixel_loops;   /* the next make its pixels */
    int32_t channel_loops; /* the last make its channels; at least one */
    int32_t width;         /* pixels of an output row */
    int32_t row;           /* input element that output element 0 takes */
    int32_t pixel;
    int32_t channel;
    int32_t size[8];       /* turns of each loop */
    int32_t row_step[8];   /* what a turn adds to the input row, pixel, channel */
    int32_t pixel_step[8];
    int32_t channel_step[8];
} fr_strided_op;

void fr_transpose(const fr_view *y, const fr_view *x, const fr_strided_op *op, int32_t y0, int32_t y1, void *work);
void fr_slice(const fr_view *y, const fr_view *x, const fr_strided_op *op, int32_t y0, int32_t y1, void *work);
void fr_expand(const fr_view *y, const fr_view *x, const fr_strided_op *op, int32_t y0, int32_t y1, void *work);
void fr_tile(const fr_view *y, const fr_view *x, const fr_strided_op *op, int32_t y0, int32_t y1, void *work);
void fr_rearrange(const fr_view *y, const fr_view *x, const fr_strided_op *op, int32_t y0, int32_t y1, void *work);

#ifdef __cplusplus
}
#endif
#endif
