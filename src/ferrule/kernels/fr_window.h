/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Which taps of a window lie inside the tensor. */
#ifndef FR_WINDOW_H
#define FR_WINDOW_H

#include <stdint.h>

/* First tap whose position start + tap * step is not negative. */
static inline int32_t fr_first_tap(int32_t start, int32_t step)
{
    return start >= 0 ? 0 : (-start + step - 1) / step;
}

/* One past the last tap whose position start + tap * step is below size. */
static inline int32_t fr_last_tap(int32_t start, int32_t step, int32_t size, int32_t taps)
{
    int32_t room = size - start;
    int32_t count = room <= 0 ? 0 : (room + step - 1) / step;
    return count < taps ? count : taps;
}

#endif
