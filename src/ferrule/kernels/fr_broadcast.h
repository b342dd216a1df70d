/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Which row of a broadcast operand an output row reads. */
#ifndef FR_BROADCAST_H
#define FR_BROADCAST_H

#include <stdint.h>

/* The output's rows count through `axes` (at least one) of lengths `size`; `step` is the operand's rows per step. */
static inline int32_t fr_operand_row(int32_t row, int32_t axes, const int32_t *size, const int32_t *step)
{
    int32_t source = 0;
    while (--axes > 0) {
        source += row % size[axes] * step[axes];
        row /= size[axes];
    }
    return source + row * step[0];
}

#endif
