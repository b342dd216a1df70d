/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Tensors side by side along one axis, elements of 1 to 8 bytes; int8 inputs of another scale are requantized. */
#ifndef FR_CONCAT_H
#define FR_CONCAT_H

#include "fr_view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int32_t inputs;
    int32_t along;         /* 0: the axis is one of rows, 1: of pixels, 2: of channels */
    int32_t run;           /* along rows: rows of the output that hold one run of each input */
    int32_t width;         /* of the output */
    int32_t channels;      /* of the output */
    int32_t element_bytes;
    const int32_t *extent;     /* [inputs]: rows of a run, pixels, or channels of each */
    const int32_t *zero;       /* [inputs], or NULL: no input is requantized */
    const int32_t *multiplier; /* [inputs], 0: this input is carried as it is */
    const int32_t *shift;      /* [inputs] */
    int32_t single;        /* 1: requantization rounds once; 0: twice, as TFLite */
    int32_t out_zero;
} fr_concat_op;

void fr_concat(const fr_view *y, const fr_view x[], const fr_concat_op *op, int32_t y0, int32_t y1, void *work);

#ifdef __cplusplus
}
#endif
#endif
