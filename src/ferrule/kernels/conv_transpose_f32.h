/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Transposed convolution, float, 1-D, 2-D, grouped. */
#ifndef FR_CONV_TRANSPOSE_F32_H
#define FR_CONV_TRANSPOSE_F32_H

#include "fr_view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int32_t in_height;    /* rows of one image */
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
    int32_t pad_top;      /* rows and columns cut at the beginning */
    int32_t pad_left;
    int32_t every_h;      /* stride / gcd(stride, dilation) */
    int32_t every_w;
    int32_t groups;
    float clamp_low;
    float clamp_high;
    const float *weights; /* [out][kernel_h][kernel_w][in / groups] */
    const float *bias;    /* [out], or NULL */
} fr_conv_transpose_f32_op;

void fr_conv_transpose_f32(const fr_view *y, const fr_view *x, const fr_conv_transpose_f32_op *op, int32_t y0,
                           int32_t y1, void *work);

/* Weights computed at run time, dense. */
void fr_conv_transpose_w_f32(const fr_view *y, const fr_view *x, const fr_view *w, const fr_conv_transpose_f32_op *op,
                             int32_t y0, int32_t y1, void *work);

#ifdef __cplusplus
}
#endif
#endif
