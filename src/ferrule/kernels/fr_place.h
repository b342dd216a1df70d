/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Where an element lies in a view, and how elements are carried whatever their type. */
#ifndef FR_PLACE_H
#define FR_PLACE_H

#include <string.h>

#include "fr_view.h"

/* One element of 1, 2, 4 or 8 bytes; both addresses may have any alignment. */
static inline void fr_carry(uint8_t *to, const uint8_t *from, int32_t element_bytes)
{
    switch (element_bytes) {
    case 1:
        *to = *from;
        break;
    case 2:
        memcpy(to, from, 2);
        break;
    case 4:
        memcpy(to, from, 4);
        break;
    default:
        memcpy(to, from, 8);
        break;
    }
}

/* n elements, `step` bytes apart in the source, side by side in the target. */
static inline void fr_gather(uint8_t *to, const uint8_t *from, int32_t n, int32_t step, int32_t element_bytes)
{
    int32_t i;
    if (step == element_bytes) {
        memmove(to, from, (size_t)n * (size_t)element_bytes);
        return;
    }
    switch (element_bytes) {
    case 1:
        for (i = 0; i < n; i++, from += step) {
            to[i] = *from;
        }
        break;
    case 2:
        for (i = 0; i < n; i++, from += step, to += 2) {
            memcpy(to, from, 2);
        }
        break;
    case 4:
        for (i = 0; i < n; i++, from += step, to += 4) {
            memcpy(to, from, 4);
        }
        break;
    default:
        for (i = 0; i < n; i++, from += step, to += 8) {
            memcpy(to, from, 8);
        }
        break;
    }
}

/* A tensor's elements in row-major order: element `index` of rows of `width` pixels of `channels` elements. */
static inline uint8_t *fr_element(const fr_view *v, int32_t index, int32_t width, int32_t channels, int32_t element_bytes)
{
    int32_t pixel = index / channels;
    int32_t row = pixel / width;
    return fr_row(v, row) + (ptrdiff_t)(pixel - row * width) * v->pixel +
           (ptrdiff_t)(index - pixel * channels) * element_bytes;
}

#endif
