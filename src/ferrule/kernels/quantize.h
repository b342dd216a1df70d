/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Float to integer codes and back. */
#ifndef FR_QUANTIZE_H
#define FR_QUANTIZE_H

#include "fr_view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int32_t width;
    int32_t channels;
    int32_t per_channel; /* 1: scale and zero point by channel; 0: one for all */
    int32_t away;        /* 1: halves away from zero; 0: halves to even */
    const float *scale;
    const int32_t *zero;
} fr_quantize_op;

void fr_quantize_s8(const fr_view *y, const fr_view *x, const fr_quantize_op *op, int32_t y0, int32_t y1, void *work);
void fr_dequantize_s8(const fr_view *y, const fr_view *x, const fr_quantize_op *op, int32_t y0, int32_t y1, void *work);
void fr_quantize_u8(const fr_view *y, const fr_view *x, const fr_quantize_op *op, int32_t y0, int32_t y1, void *work);
void fr_dequantize_u8(const fr_view *y, const fr_view *x, const fr_quantize_op *op, int32_t y0, int32_t y1, void *work);
void fr_quantize_s16(const fr_view *y, const fr_view *x, const fr_quantize_op *op, int32_t y0, int32_t y1, void *work);
void fr_dequantize_s16(const fr_view *y, const fr_view *x, const fr_quantize_op *op, int32_t y0, int32_t y1, void *work);
void fr_quantize_s32(const fr_view *y, const fr_view *x, const fr_quantize_op *op, int32_t y0, int32_t y1, void *work);
void fr_dequantize_s32(const fr_view *y, const fr_view *x, const fr_quantize_op *op, int32_t y0, int32_t y1, void *work);

#ifdef __cplusplus
}
#endif
#endif
