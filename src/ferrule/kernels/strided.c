/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Carries elements by nested loops over output rows, pixels, channels. k counts loops. */
#include "strided.h"

#include "fr_place.h"

/* An element of the input. */
typedef struct {
    int32_t row;
    int32_t pixel;
    int32_t channel;
} place;

/* Move `turns` turns of loop k. */
static void walk(place *at, const fr_strided_op *op, int32_t k, int32_t turns)
{
    at->row += turns * op->row_step[k];
    at->pixel += turns * op->pixel_step[k];
    at->channel += turns * op->channel_step[k];
}

/* One turn of the odometer of loops [first, end): the innermost goes on, full ones begin anew. */
static void turn(place *at, const fr_strided_op *op, int32_t *count, int32_t first, int32_t end)
{
    int32_t k;
    for (k = end - 1; k >= first; k--) {
        walk(at, op, k, 1);
        if (++count[k] < op->size[k]) {
            return;
        }
        count[k] = 0;
        walk(at, op, k, -op->size[k]);
    }
}

/* All turns of loop k. */
static void run(uint8_t *to, const fr_view *x, const fr_strided_op *op, const place *at, int32_t k)
{
    int32_t e = op->element_bytes;
    int32_t step = op->pixel_step[k] * x->pixel + op->channel_step[k] * e;
    ptrdiff_t inside = (ptrdiff_t)at->pixel * x->pixel + (ptrdiff_t)at->channel * e;
    int32_t i;
    if (op->row_step[k] == 0) {
        fr_gather(to, fr_row(x, at->row) + inside, op->size[k], step, e);
        return;
    }
    for (i = 0; i < op->size[k]; i++) {
        fr_carry(to, fr_row(x, at->row + i * op->row_step[k]) + inside + (ptrdiff_t)i * step, e);
        to += e;
    }
}

static void pixel(uint8_t *to, const fr_view *x, const fr_strided_op *op, place at)
{
    int32_t first = op->row_loops + op->pixel_loops;
    int32_t last = first + op->channel_loops - 1;
    int32_t count[8] = {0};
    int32_t runs = 1;
    int32_t k;
    for (k = first; k < last; k++) {
        runs *= op->size[k];
    }
    for (; runs > 0; runs--) {
        run(to, x, op, &at, last);
        to += (ptrdiff_t)op->size[last] * op->element_bytes;
        turn(&at, op, count, first, last);
    }
}

static void strided(const fr_view *y, const fr_view *x, const fr_strided_op *op, int32_t y0, int32_t y1)
{
    int32_t row, column, k;
    for (row = y0; row < y1; row++) {
        uint8_t *to = fr_row(y, row);
        int32_t rest = row;
        int32_t count[8] = {0};
        place at;
        at.row = op->row;
        at.pixel = op->pixel;
        at.channel = op->channel;
        for (k = op->row_loops - 1; k >= 0; k--) {
            walk(&at, op, k, rest % op->size[k]);
            rest /= op->size[k];
        }
        for (column = 0; column < op->width; column++) {
            pixel(to, x, op, at);
            to += y->pixel;
            turn(&at, op, count, op->row_loops, op->row_loops + op->pixel_loops);
        }
    }
}

void fr_transpose(const fr_view *y, const fr_view *x, const fr_strided_op *op, int32_t y0, int32_t y1, void *work)
{
    (void)work;
    strided(y, x, op, y0, y1);
}

void fr_slice(const fr_view *y, const fr_view *x, const fr_strided_op *op, int32_t y0, int32_t y1, void *work)
{
    (void)work;
    strided(y, x, op, y0, y1);
}

void fr_expand(const fr_view *y, const fr_view *x, const fr_strided_op *op, int32_t y0, int32_t y1, void *work)
{
    (void)work;
    strided(y, x, op, y0, y1);
}

void fr_tile(const fr_view *y, const fr_view *x, const fr_strided_op *op, int32_t y0, int32_t y1, void *work)
{
    (void)work;
    strided(y, x, op, y0, y1);
}

void fr_rearrange(const fr_view *y, const fr_view *x, const fr_strided_op *op, int32_t y0, int32_t y1, void *work)
{
    (void)work;
    strided(y, x, op, y0, y1);
}
