/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Pads by computing the source of each output element, axis by axis. */
#include "pad.h"

#include "fr_place.h"

enum { VALUE = 0, REFLECT = 1, EDGE = 2, WRAP = 3, SYMMETRIC = 4 };

/* The input index for an output index along one axis; -1: the value stands there. */
static int32_t source(const fr_pad_op *op, int32_t axis, int32_t index)
{
    int32_t n = op->in_size[axis];
    int32_t i = index - op->before[axis];
    if (i >= 0 && i < n) {
        return i;
    }
    switch (op->mode) {
    case REFLECT:
        return i < 0 ? -i : 2 * n - 2 - i;
    case EDGE:
        return i < 0 ? 0 : n - 1;
    case WRAP:
        return i < 0 ? i + n : i - n;
    case SYMMETRIC:
        return i < 0 ? -1 - i : 2 * n - 1 - i;
    default:
        return -1;
    }
}

/* The input row for an output row; -1: the value stands in all of it. */
static int32_t source_row(const fr_pad_op *op, int32_t row)
{
    int32_t found = 0, weight = 1;
    int32_t axis;
    for (axis = op->row_axes - 1; axis >= 0; axis--) {
        int32_t above = row / op->out_size[axis];
        int32_t index = source(op, axis, row - above * op->out_size[axis]);
        if (index < 0) {
            return -1;
        }
        found += index * weight;
        weight *= op->in_size[axis];
        row = above;
    }
    return found;
}

static void fill(uint8_t *to, int32_t count, const fr_pad_op *op)
{
    int32_t i;
    for (i = 0; i < count; i++) {
        fr_carry(to + (ptrdiff_t)i * op->element_bytes, op->value, op->element_bytes);
    }
}

/* The channels of one pixel. */
static void pixel(uint8_t *to, const uint8_t *from, const fr_pad_op *op)
{
    int32_t axis = op->row_axes + 1;
    int32_t before = op->before[axis];
    int32_t n = op->in_size[axis];
    int32_t e = op->element_bytes;
    int32_t c;
    for (c = 0; c < before; c++) {
        int32_t s = source(op, axis, c);
        fr_carry(to + (ptrdiff_t)c * e, s < 0 ? op->value : from + (ptrdiff_t)s * e, e);
    }
    fr_gather(to + (ptrdiff_t)before * e, from, n, e, e);
    for (c = before + n; c < op->out_size[axis]; c++) {
        int32_t s = source(op, axis, c);
        fr_carry(to + (ptrdiff_t)c * e, s < 0 ? op->value : from + (ptrdiff_t)s * e, e);
    }
}

void fr_pad(const fr_view *y, const fr_view *x, const fr_pad_op *op, int32_t y0, int32_t y1, void *work)
{
    int32_t width = op->out_size[op->row_axes];
    int32_t channels = op->out_size[op->row_axes + 1];
    int32_t row, column;
    (void)work;
    for (row = y0; row < y1; row++) {
        int32_t from_row = source_row(op, row);
        const uint8_t *from = from_row < 0 ? NULL : fr_row(x, from_row);
        uint8_t *to = fr_row(y, row);
        for (column = 0; column < width; column++) {
            int32_t s = from == NULL ? -1 : source(op, op->row_axes, column);
            if (s < 0) {
                fill(to, channels, op);
            } else {
                pixel(to, from + (ptrdiff_t)s * x->pixel, op);
            }
            to += y->pixel;
        }
    }
}
