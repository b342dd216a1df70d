/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Codes of one scale and type to another. */
#ifndef FR_REQUANTIZE_H
#define FR_REQUANTIZE_H

#include "fr_view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int32_t width;
    int32_t channels;
    int32_t in_zero;
    int32_t out_zero;
    int32_t clamp_low;
    int32_t clamp_high;
    int32_t scaled; /* 0: the codes only shift by the zero points */
    int32_t single;
    int32_t multiplier;
    int32_t shift;
} fr_requantize_op;

void fr_requantize_s8_s8(const fr_view *y, const fr_view *x, const fr_requantize_op *op, int32_t y0, int32_t y1, void *work);
void fr_requantize_s8_u8(const fr_view *y, const fr_view *x, const fr_requantize_op *op, int32_t y0, int32_t y1, void *work);
void fr_requantize_s8_s16(const fr_view *y, const fr_view *x, const fr_requantize_op *op, int32_t y0, int32_t y1, void *work);
void fr_requantize_u8_s8(const fr_view *y, const fr_view *x, const fr_requantize_op *op, int32_t y0, int32_t y1, void *work);
void fr_requantize_u8_u8(const fr_view *y, const fr_view *x, const fr_requantize_op *op, int32_t y0, int32_t y1, void *work);
void fr_requantize_u8_s16(const fr_view *y, const fr_view *x, const fr_requantize_op *op, int32_t y0, int32_t y1, void *work);
void fr_requantize_s16_s8(const fr_view *y, const fr_view *x, const fr_requantize_op *op, int32_t y0, int32_t y1, void *work);
void fr_requantize_s16_u8(const fr_view *y, const fr_view *x, const fr_requantize_op *op, int32_t y0, int32_t y1, void *work);
void fr_requantize_s16_s16(const fr_view *y, const fr_view *x, const fr_requantize_op *op, int32_t y0, int32_t y1, void *work);

#ifdef __cplusplus
}
#endif
#endif
