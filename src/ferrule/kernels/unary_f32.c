/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Portable elementwise float functions; the mathematical library of the compiler is used. */
#include "unary_f32.h"

#include <math.h>

static float sigmoid(float x)
{
    float e = expf(-fabsf(x));
    return x >= 0.0f ? 1.0f / (1.0f + e) : e / (1.0f + e);
}

static float softplus(float x)
{
    return (x > 0.0f ? x : 0.0f) + log1pf(expf(-fabsf(x)));
}

static float apply(float x, int32_t function, float a, float b)
{
    switch (function) {
    case 0: /* clip */
        return fminf(fmaxf(x, a), b);
    case 1: /* leaky_relu */
        return x >= 0.0f ? x : a * x;
    case 2: /* elu */
        return x >= 0.0f ? x : a * expm1f(x);
    case 3: /* selu */
        return b * (x > 0.0f ? x : a * expm1f(x));
    case 4: /* celu */
        return x > 0.0f ? x : a * expm1f(x / a);
    case 5: /* thresholded_relu */
        return x > a ? x : 0.0f;
    case 6: /* sigmoid */
        return sigmoid(x);
    case 7: /* hard_sigmoid */
        return fminf(fmaxf(a * x + b, 0.0f), 1.0f);
    case 8: /* hard_swish */
        return x * fminf(fmaxf(x / 6.0f + 0.5f, 0.0f), 1.0f);
    case 9: /* tanh */
        return tanhf(x);
    case 10: /* softplus */
        return softplus(x);
    case 11: /* softsign */
        return x / (1.0f + fabsf(x));
    case 12: /* mish */
        return x * tanhf(softplus(x));
    case 13: /* silu */
        return x * sigmoid(a * x);
    case 14: /* gelu */
        return 0.5f * x * (1.0f + erff(x * 0.707106781f));
    case 15: /* gelu_tanh */
        return 0.5f * x * (1.0f + tanhf(0.797884561f * (x + 0.044715f * x * x * x)));
    case 16: /* erf */
        return erff(x);
    case 17: /* exp */
        return expf(x);
    case 18: /* log */
        return logf(x);
    case 19: /* sqrt */
        return sqrtf(x);
    case 20: /* rsqrt */
        return 1.0f / sqrtf(x);
    case 21: /* reciprocal */
        return 1.0f / x;
    case 22: /* abs */
        return fabsf(x);
    case 23: /* neg */
        return -x;
    case 24: /* sign */
        return (float)(x > 0.0f) - (float)(x < 0.0f);
    case 25: /* floor */
        return floorf(x);
    case 26: /* ceil */
        return ceilf(x);
    case 27: /* round */
        return rintf(x);
    case 28: /* square */
        return x * x;
    case 29: /* sin */
        return sinf(x);
    case 30: /* cos */
        return cosf(x);
    case 31: /* tan */
        return tanf(x);
    case 32: /* asin */
        return asinf(x);
    case 33: /* acos */
        return acosf(x);
    case 34: /* atan */
        return atanf(x);
    case 35: /* sinh */
        return sinhf(x);
    case 36: /* cosh */
        return coshf(x);
    case 37: /* asinh */
        return asinhf(x);
    case 38: /* acosh */
        return acoshf(x);
    default: /* atanh */
        return atanhf(x);
    }
}

void fr_unary_f32(const fr_view *y, const fr_view *x, const fr_unary_f32_op *op, int32_t y0, int32_t y1, void *work)
{
    int32_t row, column, c;
    (void)work;
    for (row = y0; row < y1; row++) {
        const uint8_t *in = fr_row(x, row);
        uint8_t *out = fr_row(y, row);
        for (column = 0; column < op->width; column++) {
            for (c = 0; c < op->channels; c++) {
                float v = ((const float *)(const void *)in)[c];
                ((float *)(void *)out)[c] = apply(v, op->function, op->a, op->b);
            }
            in += x->pixel;
            out += y->pixel;
        }
    }
}
