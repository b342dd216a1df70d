/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Portable float and integer reductions. */
#include "reduce.h"

#include <math.h>

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

static float fold(float total, float v, int32_t function)
{
    switch (function) {
    case 2:
        return v > total ? v : total;
    case 3:
        return v < total ? v : total;
    case 4:
        return total * v;
    case 5:
        return total + fabsf(v);
    case 6:
    case 7:
        return total + v * v;
    default:
        return total + v;
    }
}

static float log_sum_exp(const float *from, const fr_reduce_op *op)
{
    float top = -INFINITY;
    float sum = 0.0f;
    int32_t k;
    for (k = 0; k < op->count; k++) {
        float v = from[offset_of(k, op->in_size, op->in_stride)];
        top = v > top ? v : top;
    }
    for (k = 0; k < op->count; k++) {
        sum += expf(from[offset_of(k, op->in_size, op->in_stride)] - top);
    }
    return top + logf(sum);
}

static float finish(float total, const fr_reduce_op *op)
{
    switch (op->function) {
    case 0:
        return total / (float)op->count;
    case 6:
        return sqrtf(total);
    case 8:
        return logf(total);
    default:
        return total;
    }
}

void fr_reduce_f32(const fr_view *y, const fr_view *x, const fr_reduce_op *op, int32_t y0, int32_t y1, void *work)
{
    const float *in = (const float *)x->base;
    float *out = (float *)y->base;
    int32_t i, k;
    (void)y0;
    (void)y1;
    (void)work;
    for (i = 0; i < op->outputs; i++) {
        const float *from = in + offset_of(i, op->out_size, op->out_stride);
        float total = op->function == 4 ? 1.0f : 0.0f;
        if (op->function == 9) {
            out[i] = log_sum_exp(from, op);
            continue;
        }
        for (k = 0; k < op->count; k++) {
            float v = from[offset_of(k, op->in_size, op->in_stride)];
            total = k == 0 && (op->function == 2 || op->function == 3) ? v : fold(total, v, op->function);
        }
        out[i] = finish(total, op);
    }
}

static int32_t fold_i32(int32_t total, int32_t v, int32_t function)
{
    switch (function) {
    case 2:
        return v > total ? v : total;
    case 3:
        return v < total ? v : total;
    case 4:
        return (int32_t)((uint32_t)total * (uint32_t)v);
    case 5:
        return (int32_t)((uint32_t)total + (v < 0 ? (uint32_t)0 - (uint32_t)v : (uint32_t)v));
    case 7:
        return (int32_t)((uint32_t)total + (uint32_t)v * (uint32_t)v);
    default:
        return (int32_t)((uint32_t)total + (uint32_t)v);
    }
}

void fr_reduce_i32(const fr_view *y, const fr_view *x, const fr_reduce_op *op, int32_t y0, int32_t y1, void *work)
{
    const int32_t *in = (const int32_t *)x->base;
    int32_t *out = (int32_t *)y->base;
    int32_t i, k;
    (void)y0;
    (void)y1;
    (void)work;
    for (i = 0; i < op->outputs; i++) {
        const int32_t *from = in + offset_of(i, op->out_size, op->out_stride);
        int32_t total = op->function == 4 ? 1 : 0;
        for (k = 0; k < op->count; k++) {
            int32_t v = from[offset_of(k, op->in_size, op->in_stride)];
            total = k == 0 && (op->function == 2 || op->function == 3) ? v : fold_i32(total, v, op->function);
        }
        out[i] = op->function == 0 ? total / op->count : total;
    }
}

static int64_t fold_i64(int64_t total, int64_t v, int32_t function)
{
    switch (function) {
    case 2:
        return v > total ? v : total;
    case 3:
        return v < total ? v : total;
    case 4:
        return (int64_t)((uint64_t)total * (uint64_t)v);
    case 5:
        return (int64_t)((uint64_t)total + (v < 0 ? (uint64_t)0 - (uint64_t)v : (uint64_t)v));
    case 7:
        return (int64_t)((uint64_t)total + (uint64_t)v * (uint64_t)v);
    default:
        return (int64_t)((uint64_t)total + (uint64_t)v);
    }
}

void fr_reduce_i64(const fr_view *y, const fr_view *x, const fr_reduce_op *op, int32_t y0, int32_t y1, void *work)
{
    const int64_t *in = (const int64_t *)x->base;
    int64_t *out = (int64_t *)y->base;
    int32_t i, k;
    (void)y0;
    (void)y1;
    (void)work;
    for (i = 0; i < op->outputs; i++) {
        const int64_t *from = in + offset_of(i, op->out_size, op->out_stride);
        int64_t total = op->function == 4 ? 1 : 0;
        for (k = 0; k < op->count; k++) {
            int64_t v = from[offset_of(k, op->in_size, op->in_stride)];
            total = k == 0 && (op->function == 2 || op->function == 3) ? v : fold_i64(total, v, op->function);
        }
        out[i] = op->function == 0 ? total / op->count : total;
    }
}
