/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Which taps of a transposed convolution reach one output position, and from where. */
#ifndef FR_TAPS_H
#define FR_TAPS_H

#include <stdint.h>

typedef struct {
    int32_t first; /* tap */
    int32_t step;  /* from tap to tap */
    int32_t count;
    int32_t at;    /* input position of the first tap */
    int32_t back;  /* how far each next tap lies before it */
} fr_taps;

/* Taps k with position * stride + k * dilation == reach and 0 <= position < size; `every` of them come one after
 * another: stride / gcd(stride, dilation). */
static inline fr_taps fr_taps_of(int32_t reach, int32_t kernel, int32_t stride, int32_t dilation, int32_t every,
                                 int32_t size)
{
    fr_taps made;
    int32_t k = 0;
    int32_t last;
    made.first = 0;
    made.step = every;
    made.count = 0;
    made.at = 0;
    made.back = every * dilation / stride;
    while (k < every && k < kernel && reach - k * dilation >= 0 && (reach - k * dilation) % stride != 0) {
        k++;
    }
    while (k < kernel && reach - k * dilation >= size * stride) {
        k += every;
    }
    if (k >= kernel || reach - k * dilation < 0 || (reach - k * dilation) % stride != 0) {
        return made;
    }
    last = reach / dilation;
    last = last < kernel - 1 ? last : kernel - 1;
    made.first = k;
    made.at = (reach - k * dilation) / stride;
    made.count = (last - k) / every + 1;
    return made;
}

#endif
