/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Index of the largest or smallest element along an axis. */
#ifndef FR_ARG_EXTREME_H
#define FR_ARG_EXTREME_H

#include "fr_view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int32_t type;          /* 0 float, 1 int8, 2 uint8 or bool, 3 int16, 4 int32, 5 int64 */
    int32_t element_bytes;
    int32_t length;        /* the input is [outer][length][inner] */
    int32_t inner;
    int32_t in_pixel;      /* 1: the elements of one search lie in one pixel, side by side */
    int32_t largest;
    int32_t last;          /* 1: of equals the last, 0: the first */
    int32_t wide;          /* 1: indices of 64 bits, 0: of 32 */
    int32_t out_width;
    int32_t out_channels;
    int32_t in_width;
    int32_t in_channels;
} fr_arg_extreme_op;

void fr_arg_extreme(const fr_view *y, const fr_view *x, const fr_arg_extreme_op *op, int32_t y0, int32_t y1,
                    void *work);

#ifdef __cplusplus
}
#endif
#endif
