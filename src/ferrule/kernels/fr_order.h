/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Compares two elements of any type where they lie. */
#ifndef FR_ORDER_H
#define FR_ORDER_H

#include <stdint.h>
#include <string.h>

enum { FR_ORDER_F32 = 0, FR_ORDER_S8, FR_ORDER_U8, FR_ORDER_S16, FR_ORDER_S32, FR_ORDER_S64 };

static inline int64_t fr_order_load(const uint8_t *p, int32_t type)
{
    int16_t half;
    int32_t word;
    int64_t wide;
    switch (type) {
    case FR_ORDER_S8:
        return (int8_t)*p;
    case FR_ORDER_S16:
        memcpy(&half, p, 2);
        return half;
    case FR_ORDER_S32:
        memcpy(&word, p, 4);
        return word;
    case FR_ORDER_S64:
        memcpy(&wide, p, 8);
        return wide;
    default:
        return *p;
    }
}

/* 1 where the first is greater, -1 where the second is, 0 where neither is (2 where a NaN forbids to say). */
static inline int32_t fr_order(const uint8_t *p, const uint8_t *q, int32_t type)
{
    if (type == FR_ORDER_F32) {
        float a, b;
        memcpy(&a, p, 4);
        memcpy(&b, q, 4);
        return a > b ? 1 : (a < b ? -1 : (a != a || b != b ? 2 : 0));
    } else {
        int64_t a = fr_order_load(p, type);
        int64_t b = fr_order_load(q, type);
        return a > b ? 1 : (a < b ? -1 : 0);
    }
}

#endif
