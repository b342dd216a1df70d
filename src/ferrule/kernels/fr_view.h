/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* The view: how a kernel sees a tensor, or those of its rows that exist now. */
#ifndef FR_VIEW_H
#define FR_VIEW_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    void *base;     /* slot 0, first channel of this view */
    int32_t pitch;  /* bytes from slot to slot */
    int32_t pixel;  /* bytes from pixel to pixel, >= channels * element */
    int32_t slots;  /* row y lies in slot y % slots; slots == height: a whole tensor */
    int32_t height; /* a row outside [0, height) does not exist */
} fr_view;

/* Address of row y. */
static inline uint8_t *fr_row(const fr_view *v, int32_t y)
{
    if (y >= v->slots) {
        y %= v->slots;
    }
    return (uint8_t *)v->base + (ptrdiff_t)y * v->pitch;
}

#endif
