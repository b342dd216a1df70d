/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Elements of one tensor or another, by a mask; all broadcast; elements of 1 to 8 bytes. */
#ifndef FR_WHERE_H
#define FR_WHERE_H

#include "fr_view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int32_t element_bytes;
    int32_t width;          /* of the output */
    int32_t channels;
    int32_t row_axes;       /* axes that make the output's rows, outermost first */
    int32_t size[6];
    int32_t row_step[18];   /* [mask, a, b][6]: rows that a turn of each axis adds */
    int32_t column_row[3];  /* [mask, a, b]: rows that a pixel adds */
    int32_t column_pixel[3];
    int32_t channel_row[3]; /* rows, pixels and channels that a channel adds */
    int32_t channel_pixel[3];
    int32_t channel_step[3];
} fr_where_op;

void fr_where(const fr_view *y, const fr_view *mask, const fr_view *a, const fr_view *b, const fr_where_op *op,
              int32_t y0, int32_t y1, void *work);

#ifdef __cplusplus
}
#endif
#endif
