/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Linear and cubic sampling of one or two spatial axes, float. */
#ifndef FR_RESIZE_F32_H
#define FR_RESIZE_F32_H

#include "fr_view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int32_t in_height;           /* rows of one image */
    int32_t out_height;
    int32_t out_width;
    int32_t channels;
    int32_t row_taps;            /* source rows that an output row mixes */
    int32_t column_taps;
    const int32_t *row_index;    /* [out_height][row_taps] */
    const float *row_weight;
    const int32_t *column_index; /* [out_width][column_taps] */
    const float *column_weight;
} fr_resize_f32_op;

void fr_resize_f32(const fr_view *y, const fr_view *x, const fr_resize_f32_op *op, int32_t y0, int32_t y1, void *work);

#ifdef __cplusplus
}
#endif
#endif
