/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* RNN, GRU and LSTM over a sequence, float. */
#ifndef FR_RECURRENT_F32_H
#define FR_RECURRENT_F32_H

#include "fr_view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int32_t cell;          /* 0 RNN, 1 GRU, 2 LSTM */
    int32_t steps;
    int32_t batch;
    int32_t inputs;        /* elements of a step */
    int32_t hidden;
    int32_t directions;
    int32_t reverse;       /* 1: the only direction runs backwards */
    int32_t has_h;         /* 1: an initial h is given; else it is zero */
    int32_t has_c;
    int32_t linear_before_reset;
    int32_t input_forget;
    float clip;
    int32_t activation[6]; /* [direction][function] */
    float alpha[6];
    float beta[6];
    const float *w;         /* [direction][gate][hidden][inputs] */
    const float *r;         /* [direction][gate][hidden][hidden] */
    const float *bias;      /* [direction][2][gate][hidden], or NULL */
    const float *peephole;  /* [direction][3][hidden], or NULL */
} fr_recurrent_f32_op;

/* Views are dense. x[]: the sequence [steps][batch][inputs], then the initial h and c that are given.
 * y: [steps][direction][batch][hidden]; h, c: the last state, which also serves as the running one.
 * work: (gates + 1) * hidden floats. */
void fr_recurrent_sequence_f32(const fr_view *y, const fr_view *h, const fr_view x[], const fr_recurrent_f32_op *op,
                               int32_t y0, int32_t y1, void *work);
void fr_recurrent_last_f32(const fr_view *h, const fr_view x[], const fr_recurrent_f32_op *op, int32_t y0, int32_t y1,
                           void *work);
void fr_lstm_sequence_f32(const fr_view *y, const fr_view *h, const fr_view *c, const fr_view x[],
                          const fr_recurrent_f32_op *op, int32_t y0, int32_t y1, void *work);
void fr_lstm_last_f32(const fr_view *h, const fr_view *c, const fr_view x[], const fr_recurrent_f32_op *op, int32_t y0,
                      int32_t y1, void *work);

#ifdef __cplusplus
}
#endif
#endif
