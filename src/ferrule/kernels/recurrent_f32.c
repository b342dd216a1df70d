/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Scans a sequence; d direction, b batch, t step, j hidden unit, g gate. */
#include "recurrent_f32.h"

#include <math.h>
#include <string.h>

enum { RNN = 0, GRU = 1, LSTM = 2 };
enum {
    RELU, TANH, SIGMOID, SOFTSIGN, SOFTPLUS, AFFINE, LEAKY_RELU, THRESHOLDED_RELU, SCALED_TANH, HARD_SIGMOID, ELU
};

/* What one direction uses. */
typedef struct {
    const fr_recurrent_f32_op *op;
    const float *w;
    const float *r;
    const float *w_bias;
    const float *r_bias;
    const float *peephole;
    int32_t first; /* of its activations */
} direction;

/* Activation number k of a direction. */
static float plain(const direction *d, int32_t k, float v)
{
    float alpha = d->op->alpha[d->first + k];
    float beta = d->op->beta[d->first + k];
    switch (d->op->activation[d->first + k]) {
    case RELU:
        return v > 0.0f ? v : 0.0f;
    case TANH:
        return tanhf(v);
    case SIGMOID:
        return 1.0f / (1.0f + expf(-v));
    case SOFTSIGN:
        return v / (1.0f + fabsf(v));
    case SOFTPLUS:
        return (v > 0.0f ? v : 0.0f) + log1pf(expf(-fabsf(v)));
    case AFFINE:
        return alpha * v + beta;
    case LEAKY_RELU:
        return v >= 0.0f ? v : alpha * v;
    case THRESHOLDED_RELU:
        return v > alpha ? v : 0.0f;
    case SCALED_TANH:
        return alpha * tanhf(beta * v);
    case HARD_SIGMOID:
        v = alpha * v + beta;
        return v < 0.0f ? 0.0f : (v > 1.0f ? 1.0f : v);
    default:
        return v >= 0.0f ? v : alpha * expm1f(v);
    }
}

/* The same with its argument clipped. */
static float act(const direction *d, int32_t k, float v)
{
    float most = d->op->clip;
    return plain(d, k, v > most ? most : (v < -most ? -most : v));
}

static float dot(const float *a, const float *b, int32_t n)
{
    float sum = 0.0f;
    int32_t i;
    for (i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

/* Row `row` of the input weights times x, plus its bias. */
static float from_input(const direction *d, int32_t row, const float *x)
{
    int32_t n = d->op->inputs;
    return dot(d->w + (ptrdiff_t)row * n, x, n) + (d->w_bias ? d->w_bias[row] : 0.0f);
}

/* The same of the recurrent weights times a vector of hidden units. */
static float from_state(const direction *d, int32_t row, const float *h)
{
    int32_t n = d->op->hidden;
    return dot(d->r + (ptrdiff_t)row * n, h, n) + (d->r_bias ? d->r_bias[row] : 0.0f);
}

static void step_rnn(const direction *d, const float *x, float *h, float *work)
{
    int32_t n = d->op->hidden;
    int32_t j;
    for (j = 0; j < n; j++) {
        work[j] = act(d, 0, from_input(d, j, x) + from_state(d, j, h));
    }
    memcpy(h, work, (size_t)n * sizeof(float));
}

static void step_gru(const direction *d, const float *x, float *h, float *work)
{
    int32_t n = d->op->hidden;
    float *z = work, *reset = work + n, *candidate = work + 2 * n, *scaled = work + 3 * n;
    int32_t j;
    for (j = 0; j < 2 * n; j++) {
        work[j] = act(d, 0, from_input(d, j, x) + from_state(d, j, h));
    }
    for (j = 0; j < n; j++) {
        scaled[j] = reset[j] * h[j];
    }
    for (j = 0; j < n; j++) {
        int32_t row = 2 * n + j;
        float past = d->op->linear_before_reset ? reset[j] * from_state(d, row, h) : from_state(d, row, scaled);
        candidate[j] = act(d, 1, from_input(d, row, x) + past);
    }
    for (j = 0; j < n; j++) {
        h[j] = (1.0f - z[j]) * candidate[j] + z[j] * h[j];
    }
}

static void step_lstm(const direction *d, const float *x, float *h, float *c, float *work)
{
    int32_t n = d->op->hidden;
    const float *p = d->peephole;
    int32_t j;
    for (j = 0; j < 4 * n; j++) {
        work[j] = from_input(d, j, x) + from_state(d, j, h);
    }
    for (j = 0; j < n; j++) {
        float i = act(d, 0, work[j] + (p ? p[j] * c[j] : 0.0f));
        float f = d->op->input_forget ? 1.0f - i : act(d, 0, work[2 * n + j] + (p ? p[2 * n + j] * c[j] : 0.0f));
        c[j] = f * c[j] + i * act(d, 1, work[3 * n + j]);
        h[j] = act(d, 0, work[n + j] + (p ? p[n + j] * c[j] : 0.0f)) * plain(d, 2, c[j]);
    }
}

static direction begin(const fr_recurrent_f32_op *op, int32_t d)
{
    int32_t gates = op->cell == LSTM ? 4 : (op->cell == GRU ? 3 : 1);
    ptrdiff_t rows = (ptrdiff_t)gates * op->hidden;
    direction made;
    made.op = op;
    made.w = op->w + d * rows * op->inputs;
    made.r = op->r + d * rows * op->hidden;
    made.w_bias = op->bias ? op->bias + d * 2 * rows : NULL;
    made.r_bias = op->bias ? op->bias + (d * 2 + 1) * rows : NULL;
    made.peephole = op->peephole ? op->peephole + (ptrdiff_t)d * 3 * op->hidden : NULL;
    made.first = d * (op->cell == LSTM ? 3 : (op->cell == GRU ? 2 : 1));
    return made;
}

/* The initial state, or zero. */
static void start(const fr_view *state, const fr_view *initial, int32_t given, const fr_recurrent_f32_op *op)
{
    size_t bytes = (size_t)op->directions * (size_t)op->batch * (size_t)op->hidden * sizeof(float);
    if (given) {
        memmove(state->base, initial->base, bytes);
    } else {
        memset(state->base, 0, bytes);
    }
}

static void scan(float *y, const fr_view *h, const fr_view *c, const fr_view x[], const fr_recurrent_f32_op *op,
                 float *work)
{
    int32_t n = op->hidden;
    int32_t d, b, s;
    start(h, &x[1], op->has_h, op);
    if (c) {
        start(c, &x[1 + op->has_h], op->has_c, op);
    }
    for (d = 0; d < op->directions; d++) {
        direction now = begin(op, d);
        for (b = 0; b < op->batch; b++) {
            ptrdiff_t at = (ptrdiff_t)(d * op->batch + b) * n;
            float *state = (float *)h->base + at;
            for (s = 0; s < op->steps; s++) {
                int32_t t = d == 1 || op->reverse ? op->steps - 1 - s : s;
                const float *in = (const float *)x[0].base + (ptrdiff_t)(t * op->batch + b) * op->inputs;
                if (op->cell == LSTM) {
                    step_lstm(&now, in, state, (float *)c->base + at, work);
                } else if (op->cell == GRU) {
                    step_gru(&now, in, state, work);
                } else {
                    step_rnn(&now, in, state, work);
                }
                if (y) {
                    ptrdiff_t row = (ptrdiff_t)(t * op->directions + d) * op->batch + b;
                    memcpy(y + row * n, state, (size_t)n * sizeof(float));
                }
            }
        }
    }
}

void fr_recurrent_sequence_f32(const fr_view *y, const fr_view *h, const fr_view x[], const fr_recurrent_f32_op *op,
                               int32_t y0, int32_t y1, void *work)
{
    (void)y0;
    (void)y1;
    scan((float *)y->base, h, NULL, x, op, (float *)work);
}

void fr_recurrent_last_f32(const fr_view *h, const fr_view x[], const fr_recurrent_f32_op *op, int32_t y0, int32_t y1,
                           void *work)
{
    (void)y0;
    (void)y1;
    scan(NULL, h, NULL, x, op, (float *)work);
}

void fr_lstm_sequence_f32(const fr_view *y, const fr_view *h, const fr_view *c, const fr_view x[],
                          const fr_recurrent_f32_op *op, int32_t y0, int32_t y1, void *work)
{
    (void)y0;
    (void)y1;
    scan((float *)y->base, h, c, x, op, (float *)work);
}

void fr_lstm_last_f32(const fr_view *h, const fr_view *c, const fr_view x[], const fr_recurrent_f32_op *op, int32_t y0,
                      int32_t y1, void *work)
{
    (void)y0;
    (void)y1;
    scan(NULL, h, c, x, op, (float *)work);
}
