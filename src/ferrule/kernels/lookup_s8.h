/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* A function of one int8 code, as a table. */
#ifndef FR_LOOKUP_S8_H
#define FR_LOOKUP_S8_H

#include "fr_view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int32_t width;
    int32_t channels;
    const int8_t *table; /* 256 entries, by code + 128 */
} fr_lookup_s8_op;

void fr_lookup_s8(const fr_view *y, const fr_view *x, const fr_lookup_s8_op *op, int32_t y0, int32_t y1, void *work);

#ifdef __cplusplus
}
#endif
#endif
