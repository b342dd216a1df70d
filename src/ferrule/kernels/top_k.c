/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Insertion into the list of the best so far, which is the output itself; j counts along the axis. */
#include "top_k.h"

#include "fr_order.h"
#include "fr_place.h"

static void put(uint8_t *values, uint8_t *indices, const uint8_t *value, int32_t index, const fr_top_k_op *op)
{
    int64_t wide = index;
    fr_carry(values, value, op->element_bytes);
    if (op->wide) {
        memcpy(indices, &wide, 8);
    } else {
        memcpy(indices, &index, 4);
    }
}

/* One search: `step` and `index_step` bytes lie between neighbours on the axis. */
static void search(uint8_t *values, uint8_t *indices, const uint8_t *x, const fr_top_k_op *op)
{
    ptrdiff_t step = (ptrdiff_t)op->inner * op->element_bytes;
    ptrdiff_t index_step = (ptrdiff_t)op->inner * (op->wide ? 8 : 4);
    int32_t better = op->largest ? 1 : -1;
    int32_t held = 0;
    int32_t j, place;
    for (j = 0; j < op->length; j++, x += step) {
        place = held;
        while (place > 0 && fr_order(x, values + (place - 1) * step, op->type) == better) {
            place--;
        }
        if (place == op->count) {
            continue;
        }
        if (held < op->count) {
            held++;
        }
        {
            int32_t i;
            for (i = held - 1; i > place; i--) {
                fr_carry(values + i * step, values + (i - 1) * step, op->element_bytes);
                fr_carry(indices + i * index_step, indices + (i - 1) * index_step, op->wide ? 8 : 4);
            }
        }
        put(values + place * step, indices + place * index_step, x, j, op);
    }
}

void fr_top_k(const fr_view *values, const fr_view *indices, const fr_view *x, const fr_top_k_op *op, int32_t y0,
              int32_t y1, void *work)
{
    int32_t o, i;
    (void)y0;
    (void)y1;
    (void)work;
    for (o = 0; o < op->outer; o++) {
        for (i = 0; i < op->inner; i++) {
            ptrdiff_t from = (ptrdiff_t)o * op->length * op->inner + i;
            ptrdiff_t to = (ptrdiff_t)o * op->count * op->inner + i;
            search((uint8_t *)values->base + to * op->element_bytes, (uint8_t *)indices->base + to * (op->wide ? 8 : 4),
                   (const uint8_t *)x->base + from * op->element_bytes, op);
        }
    }
}
