/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Walks along the axis with the sum so far; o outer, i inner, j along. */
#include "cumsum.h"

#include "fr_place.h"

/* The element at number `n`, added to the sum; what stands in its place is the sum before or after. */
static void step_f32(uint8_t *to, const uint8_t *from, float *sum, int32_t exclusive)
{
    float v, before = *sum;
    memcpy(&v, from, 4);
    *sum = before + v;
    memcpy(to, exclusive ? &before : sum, 4);
}

static void step_int(uint8_t *to, const uint8_t *from, uint64_t *sum, int32_t exclusive, int32_t wide)
{
    uint64_t before = *sum, shown;
    if (wide) {
        uint64_t v;
        memcpy(&v, from, 8);
        *sum = before + v;
    } else {
        uint32_t v;
        memcpy(&v, from, 4);
        *sum = before + v;
    }
    shown = exclusive ? before : *sum;
    if (wide) {
        memcpy(to, &shown, 8);
    } else {
        uint32_t low = (uint32_t)(shown & 0xffffffffu);
        memcpy(to, &low, 4);
    }
}

void fr_cumsum(const fr_view *y, const fr_view *x, const fr_cumsum_op *op, int32_t y0, int32_t y1, void *work)
{
    int32_t e = op->type == 2 ? 8 : 4;
    int32_t o, i, j;
    (void)work;
    (void)y0;
    (void)y1;
    for (o = 0; o < op->outer; o++) {
        for (i = 0; i < op->inner; i++) {
            float real = 0.0f;
            uint64_t whole = 0;
            for (j = 0; j < op->length; j++) {
                int32_t at = op->reverse ? op->length - 1 - j : j;
                int32_t n = (o * op->length + at) * op->inner + i;
                uint8_t *to = fr_element(y, n, op->width, op->channels, e);
                const uint8_t *from = fr_element(x, n, op->width, op->channels, e);
                if (op->type == 0) {
                    step_f32(to, from, &real, op->exclusive);
                } else {
                    step_int(to, from, &whole, op->exclusive, e == 8);
                }
            }
        }
    }
}
