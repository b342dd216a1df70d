/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Normalization of the channels of each pixel, float. */
#ifndef FR_LAYER_NORM_F32_H
#define FR_LAYER_NORM_F32_H

#include "fr_view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int32_t width;
    int32_t channels;
    int32_t centre;     /* 1: the mean is taken off first */
    float epsilon;
    const float *scale; /* [channels], or NULL */
    const float *bias;  /* [channels], or NULL */
} fr_layer_norm_f32_op;

void fr_layer_norm_f32(const fr_view *y, const fr_view *x, const fr_layer_norm_f32_op *op, int32_t y0, int32_t y1,
                       void *work);

#ifdef __cplusplus
}
#endif
#endif
