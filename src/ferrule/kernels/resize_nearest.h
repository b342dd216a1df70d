/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Nearest sampling of one or two spatial axes, elements of 1 to 8 bytes. */
#ifndef FR_RESIZE_NEAREST_H
#define FR_RESIZE_NEAREST_H

#include "fr_view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int32_t in_height;           /* rows of one image */
    int32_t out_height;
    int32_t out_width;
    int32_t channels;
    int32_t element_bytes;
    const int32_t *row_index;    /* [out_height]: source row */
    const int32_t *column_index; /* [out_width]: source column */
    const int8_t *table;         /* [256]: what each int8 code (plus 128) becomes; NULL: itself */
} fr_resize_nearest_op;

void fr_resize_nearest(const fr_view *y, const fr_view *x, const fr_resize_nearest_op *op, int32_t y0, int32_t y1, void *work);

#ifdef __cplusplus
}
#endif
#endif
