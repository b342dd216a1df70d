/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Normalization of groups of channels over all pixels of an image, float. */
#ifndef FR_GROUP_NORM_F32_H
#define FR_GROUP_NORM_F32_H

#include "fr_view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int32_t images;
    int32_t height;     /* rows of one image */
    int32_t width;
    int32_t channels;
    int32_t groups;
    float epsilon;
    const float *scale; /* [channels], or NULL */
    const float *bias;  /* [channels], or NULL */
} fr_group_norm_f32_op;

void fr_group_norm_f32(const fr_view *y, const fr_view *x, const fr_group_norm_f32_op *op, int32_t y0, int32_t y1,
                       void *work);

#ifdef __cplusplus
}
#endif
#endif
