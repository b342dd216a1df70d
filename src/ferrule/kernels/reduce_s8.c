/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Portable int8 reductions. */
#include "reduce_s8.h"

#include "fr_arith.h"

/* Offset of element `index` of a block of axes. */
static int32_t offset_of(int32_t index, const int32_t *size, const int32_t *stride)
{
    int32_t offset = 0;
    int32_t axis;
    for (axis = 5; axis >= 0; axis--) {
        offset += index % size[axis] * stride[axis];
        index /= size[axis];
    }
    return offset;
}

void fr_reduce_s8(const fr_view *y, const fr_view *x, const fr_reduce_s8_op *op, int32_t y0, int32_t y1, void *work)
{
    const int8_t *in = (const int8_t *)x->base;
    int8_t *out = (int8_t *)y->base;
    int32_t i, k;
    (void)y0;
    (void)y1;
    (void)work;
    for (i = 0; i < op->outputs; i++) {
        const int8_t *from = in + offset_of(i, op->out_size, op->out_stride);
        int32_t sum = 0;
        for (k = 0; k < op->count; k++) {
            int32_t v = from[offset_of(k, op->in_size, op->in_stride)] - (op->scaled ? op->in_zero : 0);
            if (op->function < 2) {
                sum += v;
            } else if (k == 0 || (op->function == 2 ? v > sum : v < sum)) {
                sum = v;
            }
        }
        if (op->scaled) {
            sum = fr_requant(sum, op->multiplier, op->shift, op->single) + op->out_zero;
        }
        out[i] = (int8_t)fr_clamp(sum, op->clamp_low, op->clamp_high);
    }
}
