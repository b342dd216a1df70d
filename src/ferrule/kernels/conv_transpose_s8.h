/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Transposed convolution of int8 activations and weights, 1-D, 2-D, grouped. */
#ifndef FR_CONV_TRANSPOSE_S8_H
#define FR_CONV_TRANSPOSE_S8_H

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
    int32_t in_zero;
    int32_t out_zero;
    int32_t clamp_low;
    int32_t clamp_high;
    int32_t single;       /* 1: requantization rounds once; 0: twice, as TFLite */
    int32_t per_channel;  /* 1: a multiplier for each output channel; 0: one for all */
    const int8_t *weights;       /* [out][kernel_h][kernel_w][in / groups] */
    const int8_t *weight_zero;   /* [out], or NULL: all 0 */
    const int32_t *bias;         /* [out], or NULL */
    const int32_t *multiplier;
    const int32_t *shift;
} fr_conv_transpose_s8_op;

void fr_conv_transpose_s8(const fr_view *y, const fr_view *x, const fr_conv_transpose_s8_op *op, int32_t y0, int32_t y1,
                          void *work);

#ifdef __cplusplus
}
#endif
#endif
