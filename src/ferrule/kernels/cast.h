/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Numbers of one element type as another. */
#ifndef FR_CAST_H
#define FR_CAST_H

#include "fr_view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int32_t width;
    int32_t channels;
    int32_t from;       /* 0 float, 1 int8, 2 uint8, 3 int16, 4 int32, 5 int64, 6 bool */
    int32_t to;
    int32_t from_bytes; /* of an element */
    int32_t to_bytes;
} fr_cast_op;

void fr_cast(const fr_view *y, const fr_view *x, const fr_cast_op *op, int32_t y0, int32_t y1, void *work);

#ifdef __cplusplus
}
#endif
#endif
