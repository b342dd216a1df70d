/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* A border around a tensor of up to six axes, elements of 1 to 8 bytes: a value, or a mirror of the tensor. */
#ifndef FR_PAD_H
#define FR_PAD_H

#include "fr_view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int32_t element_bytes;
    int32_t mode;         /* 0 value, 1 reflect, 2 edge, 3 wrap, 4 symmetric */
    int32_t row_axes;     /* axes [0, row_axes) make rows; then one axis of pixels, one of channels */
    int32_t in_size[6];   /* of the row axes; of pixels at [row_axes], of channels at [row_axes + 1] */
    int32_t out_size[6];
    int32_t before[6];
    uint8_t value[8];     /* one element, as it lies in memory */
} fr_pad_op;

void fr_pad(const fr_view *y, const fr_view *x, const fr_pad_op *op, int32_t y0, int32_t y1, void *work);

#ifdef __cplusplus
}
#endif
#endif
