/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Rows of float activations times float weights, constant or computed. */
#ifndef FR_FULLY_CONNECTED_F32_H
#define FR_FULLY_CONNECTED_F32_H

#include "fr_view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int32_t inputs;
    int32_t outputs;
    float clamp_low;
    float clamp_high;
    const float *weights; /* [outputs][inputs] */
    const float *bias;    /* [outputs], or NULL */
} fr_fully_connected_f32_op;

void fr_fully_connected_f32(const fr_view *y, const fr_view *x, const fr_fully_connected_f32_op *op, int32_t y0,
                            int32_t y1, void *work);

/* The weights come as a dense view. */
void fr_fully_connected_w_f32(const fr_view *y, const fr_view *x, const fr_view *w, const fr_fully_connected_f32_op *op,
                              int32_t y0, int32_t y1, void *work);

#ifdef __cplusplus
}
#endif
#endif
