/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Maximum and mean over windows, float. */
#ifndef FR_POOL_F32_H
#define FR_POOL_F32_H

#include "fr_view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int32_t in_height; /* rows of one image */
    int32_t in_width;
    int32_t in_channels;
    int32_t out_height;
    int32_t out_width;
    int32_t out_channels;
    int32_t kernel_h;
    int32_t kernel_w;
    int32_t stride_h;
    int32_t stride_w;
    int32_t dilation_h;
    int32_t dilation_w;
    int32_t pad_top;
    int32_t pad_left;
    int32_t maximum;    /* 1: maximum; 0: mean */
    int32_t count_pads; /* the mean divides by taps inside the declared pads, too */
    int32_t pad_bottom;
    int32_t pad_right;
    float clamp_low;
    float clamp_high;
} fr_pool_f32_op;

void fr_pool_f32(const fr_view *y, const fr_view *x, const fr_pool_f32_op *op, int32_t y0, int32_t y1, void *work);

#ifdef __cplusplus
}
#endif
#endif
