/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Casts element by element: every integer passes through 64 bits. */
#include "cast.h"

#include <string.h>

enum { F32 = 0, S8 = 1, U8 = 2, S16 = 3, S32 = 4, S64 = 5, BOOL = 6 };

static int64_t load(const uint8_t *from, int32_t type)
{
    int16_t half;
    int32_t word;
    int64_t wide;
    switch (type) {
    case S8:
        return (int8_t)*from;
    case S16:
        memcpy(&half, from, 2);
        return half;
    case S32:
        memcpy(&word, from, 4);
        return word;
    case S64:
        memcpy(&wide, from, 8);
        return wide;
    default:
        return *from;
    }
}

/* The low bytes of v: a narrower type keeps its low bits. */
static void store(uint8_t *to, int64_t v, int32_t type)
{
    uint16_t half = (uint16_t)((uint64_t)v & 0xffffu);
    uint32_t word = (uint32_t)((uint64_t)v & 0xffffffffu);
    switch (type) {
    case S16:
        memcpy(to, &half, 2);
        break;
    case S32:
        memcpy(to, &word, 4);
        break;
    case S64:
        memcpy(to, &v, 8);
        break;
    case BOOL:
        *to = (uint8_t)(v != 0);
        break;
    default:
        *to = (uint8_t)((uint64_t)v & 0xffu);
        break;
    }
}

/* Ends of each integer type; the upper ends as the first float beyond. */
static const float lowest[7] = {0.0f, -128.0f, 0.0f, -32768.0f, -2147483648.0f, -9223372036854775808.0f, 0.0f};
static const float beyond[7] = {0.0f, 128.0f, 256.0f, 32768.0f, 2147483648.0f, 9223372036854775808.0f, 2.0f};
static const int64_t least[7] = {0, -128, 0, -32768, INT32_MIN, INT64_MIN, 0};
static const int64_t most[7] = {0, 127, 255, 32767, INT32_MAX, INT64_MAX, 1};

/* The fraction dropped, saturated; NaN becomes 0. */
static int64_t whole(float v, int32_t type)
{
    if (v >= beyond[type]) {
        return most[type];
    }
    if (v <= lowest[type]) {
        return least[type];
    }
    return v == v ? (int64_t)v : 0;
}

static void element(uint8_t *to, const uint8_t *from, const fr_cast_op *op)
{
    float real;
    if (op->from != F32) {
        int64_t v = load(from, op->from);
        if (op->to != F32) {
            store(to, v, op->to);
            return;
        }
        real = (float)v;
        memcpy(to, &real, 4);
        return;
    }
    memcpy(&real, from, 4);
    if (op->to == F32) {
        memcpy(to, &real, 4);
    } else if (op->to == BOOL) {
        *to = (uint8_t)(real < 0.0f || real > 0.0f || real != real);
    } else {
        store(to, whole(real, op->to), op->to);
    }
}

void fr_cast(const fr_view *y, const fr_view *x, const fr_cast_op *op, int32_t y0, int32_t y1, void *work)
{
    int32_t row, column, c;
    (void)work;
    for (row = y0; row < y1; row++) {
        const uint8_t *from = fr_row(x, row);
        uint8_t *to = fr_row(y, row);
        for (column = 0; column < op->width; column++) {
            for (c = 0; c < op->channels; c++) {
                element(to + (ptrdiff_t)c * op->to_bytes, from + (ptrdiff_t)c * op->from_bytes, op);
            }
            from += x->pixel;
            to += y->pixel;
        }
    }
}
