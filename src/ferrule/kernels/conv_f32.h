/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Convolution of float: 1-D, 2-D, grouped, depthwise; weights and bias constant or computed. */
#ifndef FR_CONV_F32_H
#define FR_CONV_F32_H

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
    int32_t groups;
    float clamp_low;
    float clamp_high;
    const float *weights; /* [out][kernel_h][kernel_w][in / groups] */
    const float *bias;    /* [out], or NULL */
} fr_conv_f32_op;

void fr_conv_f32(const fr_view *y, const fr_view *x, const fr_conv_f32_op *op, int32_t y0, int32_t y1, void *work);

/* Weights come as a view: dense [out][kernel_h][kernel_w][in / groups]. */
void fr_conv_w_f32(const fr_view *y, const fr_view *x, const fr_view *w, const fr_conv_f32_op *op, int32_t y0,
                   int32_t y1, void *work);

/* Weights and bias come as views. */
void fr_conv_wb_f32(const fr_view *y, const fr_view *x, const fr_view *w, const fr_view *b, const fr_conv_f32_op *op,
                    int32_t y0, int32_t y1, void *work);

/* The bias comes as a view. */
void fr_conv_b_f32(const fr_view *y, const fr_view *x, const fr_view *b, const fr_conv_f32_op *op, int32_t y0,
                   int32_t y1, void *work);

#ifdef __cplusplus
}
#endif
#endif
