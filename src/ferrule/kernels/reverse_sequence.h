/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* The first steps of each batch reversed, elements of 1 to 8 bytes. */
#ifndef FR_REVERSE_SEQUENCE_H
#define FR_REVERSE_SEQUENCE_H

#include "fr_view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int32_t element_bytes;
    int32_t size[5];       /* the tensor as [outer][first axis][between][second axis][inner] */
    int32_t time_first;    /* 1: the first axis is time and the second the batch; 0: the other way round */
    int32_t wide;          /* 1: lengths of 64 bits, 0: of 32 */
    int32_t width;         /* how it lies in rows of pixels of channels */
    int32_t channels;
} fr_reverse_sequence_op;

void fr_reverse_sequence(const fr_view *y, const fr_view *x, const fr_view *lengths, const fr_reverse_sequence_op *op,
                         int32_t y0, int32_t y1, void *work);

#ifdef __cplusplus
}
#endif
#endif
