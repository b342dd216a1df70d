/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* A slope of its own for negative values, float. */
#ifndef FR_PRELU_F32_H
#define FR_PRELU_F32_H

#include "fr_view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int32_t width;
    int32_t channels;
    int32_t row_axes;      /* axes that the rows count through */
    int32_t row_size[4];
    int32_t slope_step[4]; /* rows of the slope per step along each; 0: the same for all */
    int32_t slope_pixel;   /* 0: one pixel for all */
    int32_t slope_channel; /* 0: one channel for all */
} fr_prelu_f32_op;

void fr_prelu_f32(const fr_view *y, const fr_view *x, const fr_view *s, const fr_prelu_f32_op *op, int32_t y0, int32_t y1,
                  void *work);

#ifdef __cplusplus
}
#endif
#endif
