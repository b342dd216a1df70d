/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Picks slices: each output pixel is made of runs that lie side by side in the input too. */
#include "gather.h"

#include "fr_place.h"

/* Index number k, as 0..length-1: negative ones count from the end, others are clamped. */
static int32_t picked(const fr_view *index, const fr_gather_op *op, int32_t k)
{
    int64_t v;
    const uint8_t *at = fr_element(index, k, op->index_width, op->index_channels, op->wide ? 8 : 4);
    if (op->wide) {
        memcpy(&v, at, 8);
    } else {
        int32_t narrow;
        memcpy(&narrow, at, 4);
        v = narrow;
    }
    if (v < 0) {
        v += op->length;
    }
    if (v < 0) {
        return 0;
    }
    return v >= op->length ? op->length - 1 : (int32_t)v;
}

/* `channels` elements from output element `first` on. */
static void pixel(uint8_t *to, const fr_view *x, const fr_view *index, const fr_gather_op *op, int32_t first)
{
    int32_t done = 0;
    while (done < op->out_channels) {
        int32_t slice = (first + done) / op->inner;
        int32_t inside = first + done - slice * op->inner;
        int32_t block = slice / op->count;
        int32_t j = (block / op->outer) * op->count + (slice - block * op->count);
        int32_t from = (block * op->length + picked(index, op, j)) * op->inner + inside;
        int32_t run = op->inner - inside;
        int32_t room = op->in_channels - from % op->in_channels;
        run = run < room ? run : room;
        run = run < op->out_channels - done ? run : op->out_channels - done;
        memcpy(to, fr_element(x, from, op->in_width, op->in_channels, op->element_bytes),
               (size_t)run * (size_t)op->element_bytes);
        to += (ptrdiff_t)run * op->element_bytes;
        done += run;
    }
}

void fr_gather_slices(const fr_view *y, const fr_view *x, const fr_view *index, const fr_gather_op *op, int32_t y0,
                      int32_t y1, void *work)
{
    int32_t row, column;
    (void)work;
    for (row = y0; row < y1; row++) {
        uint8_t *to = fr_row(y, row);
        for (column = 0; column < op->out_width; column++) {
            pixel(to, x, index, op, (row * op->out_width + column) * op->out_channels);
            to += y->pixel;
        }
    }
}
