/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* One triangle of matrices kept, elements of 1 to 8 bytes. */
#ifndef FR_TRILU_H
#define FR_TRILU_H

#include "fr_view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int32_t element_bytes;
    int32_t upper;
    int32_t diagonal;
    int32_t matrix_rows; /* 0: a matrix row is a pixel; else: that many view rows make a matrix */
    int32_t width;
    int32_t channels;
    uint8_t zero[8];     /* an element, as it lies in memory */
} fr_trilu_op;

void fr_trilu(const fr_view *y, const fr_view *x, const fr_trilu_op *op, int32_t y0, int32_t y1, void *work);

#ifdef __cplusplus
}
#endif
#endif
