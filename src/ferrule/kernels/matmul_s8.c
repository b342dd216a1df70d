/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Portable int8 matrix product. */
#include "matmul_s8.h"

#include "fr_arith.h"

static ptrdiff_t offset_of(int32_t index, const int32_t *size, const int32_t *stride)
{
    ptrdiff_t offset = 0;
    int32_t axis;
    for (axis = 3; axis >= 0; axis--) {
        offset += (ptrdiff_t)(index % size[axis]) * stride[axis];
        index /= size[axis];
    }
    return offset;
}

void fr_matmul_s8(const fr_view *y, const fr_view *a, const fr_view *b, const fr_matmul_s8_op *op, int32_t y0, int32_t y1,
                  void *work)
{
    int8_t *out = (int8_t *)y->base;
    int32_t n, row, column, k;
    (void)y0;
    (void)y1;
    (void)work;
    for (n = 0; n < op->batches; n++) {
        const int8_t *left = (const int8_t *)a->base + offset_of(n, op->batch_size, op->a_stride);
        const int8_t *right = (const int8_t *)b->base + offset_of(n, op->batch_size, op->b_stride);
        for (row = 0; row < op->rows; row++) {
            for (column = 0; column < op->columns; column++) {
                int32_t sum = 0;
                for (k = 0; k < op->inner; k++) {
                    sum += (left[row * op->inner + k] - op->a_zero) * (right[k * op->columns + column] - op->b_zero);
                }
                sum = fr_requant(sum, op->multiplier, op->shift, op->single) + op->out_zero;
                *out++ = (int8_t)fr_clamp(sum, op->clamp_low, op->clamp_high);
            }
        }
    }
}
