/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Linear sampling of one or two spatial axes, int8, weights of fixed point. */
#ifndef FR_RESIZE_S8_H
#define FR_RESIZE_S8_H

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
    int32_t in_zero;
    int32_t out_zero;
    int32_t bits;                /* of fraction in a sum: those of a row weight and a column weight */
    int32_t multiplier;          /* 0: the sum is only rounded, half away from zero (TFLite) */
    int32_t shift;
    const int32_t *row_index;    /* [out_height][row_taps] */
    const int32_t *row_weight;
    const int32_t *column_index; /* [out_width][column_taps] */
    const int32_t *column_weight;
} fr_resize_s8_op;

void fr_resize_s8(const fr_view *y, const fr_view *x, const fr_resize_s8_op *op, int32_t y0, int32_t y1, void *work);

#ifdef __cplusplus
}
#endif
#endif
