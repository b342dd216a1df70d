/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Portable float matrix product. */
#include "matmul_f32.h"

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

void fr_matmul_f32(const fr_view *y, const fr_view *a, const fr_view *b, const fr_matmul_f32_op *op, int32_t y0,
                   int32_t y1, void *work)
{
    float *out = (float *)y->base;
    int32_t n, row, column, k;
    (void)y0;
    (void)y1;
    (void)work;
    for (n = 0; n < op->batches; n++) {
        const float *left = (const float *)a->base + offset_of(n, op->batch_size, op->a_stride);
        const float *right = (const float *)b->base + offset_of(n, op->batch_size, op->b_stride);
        for (row = 0; row < op->rows; row++) {
            for (column = 0; column < op->columns; column++) {
                float sum = 0.0f;
                for (k = 0; k < op->inner; k++) {
                    sum += left[row * op->inner + k] * right[k * op->columns + column];
                }
                sum = sum < op->clamp_low ? op->clamp_low : sum;
                *out++ = sum > op->clamp_high ? op->clamp_high : sum;
            }
        }
    }
}
