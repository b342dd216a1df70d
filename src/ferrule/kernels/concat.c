/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Joins tensors; k counts inputs. */
#include "concat.h"

#include <string.h>

#include "fr_arith.h"

/* `bytes` bytes of input k. */
static void carry(uint8_t *to, const uint8_t *from, int32_t bytes, const fr_concat_op *op, int32_t k)
{
    int32_t i;
    if (op->zero == NULL || op->multiplier[k] == 0) {
        memmove(to, from, (size_t)bytes);
        return;
    }
    for (i = 0; i < bytes; i++) {
        int32_t v = ((const int8_t *)from)[i] - op->zero[k];
        v = fr_requant(v, op->multiplier[k], op->shift[k], op->single) + op->out_zero;
        ((int8_t *)to)[i] = (int8_t)fr_clamp(v, -128, 127);
    }
}

/* `width` pixels of `bytes` bytes. */
static void line(uint8_t *to, int32_t to_pixel, const uint8_t *from, int32_t from_pixel, int32_t width, int32_t bytes,
                 const fr_concat_op *op, int32_t k)
{
    int32_t i;
    for (i = 0; i < width; i++) {
        carry(to, from, bytes, op, k);
        to += to_pixel;
        from += from_pixel;
    }
}

void fr_concat(const fr_view *y, const fr_view x[], const fr_concat_op *op, int32_t y0, int32_t y1, void *work)
{
    int32_t bytes = op->channels * op->element_bytes;
    int32_t row, k;
    (void)work;
    for (row = y0; row < y1; row++) {
        uint8_t *to = fr_row(y, row);
        if (op->along == 0) {
            int32_t repeat = row / op->run;
            int32_t inside = row - repeat * op->run;
            for (k = 0; inside >= op->extent[k]; k++) {
                inside -= op->extent[k];
            }
            line(to, y->pixel, fr_row(&x[k], repeat * op->extent[k] + inside), x[k].pixel, op->width, bytes, op, k);
            continue;
        }
        for (k = 0; k < op->inputs; k++) {
            const uint8_t *from = fr_row(&x[k], row);
            int32_t count = op->extent[k];
            if (op->along == 1) {
                line(to, y->pixel, from, x[k].pixel, count, bytes, op, k);
                to += (ptrdiff_t)count * y->pixel;
            } else {
                line(to, y->pixel, from, x[k].pixel, op->width, count * op->element_bytes, op, k);
                to += (ptrdiff_t)count * op->element_bytes;
            }
        }
    }
}
