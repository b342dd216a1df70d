/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Finds the source of each output element. */
#include "reverse_sequence.h"

#include "fr_place.h"

static int64_t length_of(const fr_view *lengths, int32_t batch, int32_t wide)
{
    const uint8_t *at = (const uint8_t *)lengths->base + (ptrdiff_t)batch * (wide ? 8 : 4);
    int64_t v;
    int32_t narrow;
    if (wide) {
        memcpy(&v, at, 8);
        return v;
    }
    memcpy(&narrow, at, 4);
    return narrow;
}

void fr_reverse_sequence(const fr_view *y, const fr_view *x, const fr_view *lengths, const fr_reverse_sequence_op *op,
                         int32_t y0, int32_t y1, void *work)
{
    const int32_t *n = op->size;
    int32_t time_axis = op->time_first ? 1 : 3;
    int32_t row, column, c, k;
    (void)work;
    for (row = y0; row < y1; row++) {
        uint8_t *to = fr_row(y, row);
        for (column = 0; column < op->width; column++) {
            for (c = 0; c < op->channels; c++) {
                int32_t rest = (row * op->width + column) * op->channels + c;
                int32_t at[5], from = 0;
                int64_t length;
                for (k = 4; k >= 0; k--) {
                    at[k] = rest % n[k];
                    rest /= n[k];
                }
                length = length_of(lengths, at[4 - time_axis], op->wide);
                length = length > n[time_axis] ? n[time_axis] : length;
                if (at[time_axis] < length) {
                    at[time_axis] = (int32_t)length - 1 - at[time_axis];
                }
                for (k = 0; k < 5; k++) {
                    from = from * n[k] + at[k];
                }
                fr_carry(to + (ptrdiff_t)c * op->element_bytes,
                         fr_element(x, from, op->width, op->channels, op->element_bytes), op->element_bytes);
            }
            to += y->pixel;
        }
    }
}
