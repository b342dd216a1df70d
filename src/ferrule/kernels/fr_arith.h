/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Integer arithmetic shared by all integer kernels: saturation and requantization. */
#ifndef FR_ARITH_H
#define FR_ARITH_H

#include <stdint.h>

static inline int32_t fr_min(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static inline int32_t fr_max(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static inline int32_t fr_clamp(int32_t v, int32_t low, int32_t high)
{
    return v < low ? low : (v > high ? high : v);
}

/* Left shift with the wrap-around of two's complement (a signed shift would be undefined). */
static inline int32_t fr_shl(int32_t v, int32_t n)
{
    return (int32_t)((uint32_t)v << n);
}

/* Arithmetic right shift of a possibly negative value: every supported compiler shifts in the sign. */
static inline int32_t fr_sar(int32_t v, int32_t n)
{
    return v >> n;
}

/* High half of 2*a*b, rounded half away from zero, saturated: the first rounding of TFLite's reference. */
static inline int32_t fr_doubling_high(int32_t a, int32_t b)
{
    int64_t product;
    if (a == INT32_MIN && b == INT32_MIN) {
        return INT32_MAX;
    }
    product = (int64_t)a * b;
    product += product >= 0 ? (1 << 30) : (1 - (1 << 30));
    return (int32_t)(product / ((int64_t)1 << 31));
}

/* v / 2**n, rounded half away from zero: the second rounding of TFLite's reference. */
static inline int32_t fr_divide_pot(int32_t v, int32_t n)
{
    int32_t mask = (int32_t)(((uint32_t)1 << n) - 1u);
    int32_t remainder = v & mask;
    int32_t threshold = (mask >> 1) + (v < 0 ? 1 : 0);
    return fr_sar(v, n) + (remainder > threshold ? 1 : 0);
}

/* Scheme "double": v * multiplier * 2**(shift-31), rounded twice. */
static inline int32_t fr_requant_double(int32_t v, int32_t multiplier, int32_t shift)
{
    int32_t left = shift > 0 ? shift : 0;
    int32_t right = shift > 0 ? 0 : -shift;
    return fr_divide_pot(fr_doubling_high(fr_shl(v, left), multiplier), right);
}

/* Scheme "single": the 64-bit product, rounded once, half up; saturated to 32 bits. */
static inline int32_t fr_requant_single(int32_t v, int32_t multiplier, int32_t shift)
{
    int32_t n = 31 - shift;
    int64_t scaled = ((int64_t)v * multiplier + ((int64_t)1 << (n - 1))) >> n;
    if (scaled > INT32_MAX) {
        return INT32_MAX;
    }
    if (scaled < INT32_MIN) {
        return INT32_MIN;
    }
    return (int32_t)scaled;
}

/* Either scheme, as the op's `single` member says. */
static inline int32_t fr_requant(int32_t v, int32_t multiplier, int32_t shift, int32_t single)
{
    return single ? fr_requant_single(v, multiplier, shift) : fr_requant_double(v, multiplier, shift);
}

#endif
