/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Carries bytes between views: a box into a box, and the border around a box. */
#include "fr_copy.h"

#include <string.h>

/* A place in a box: row, pixel, and bytes left in that pixel (or in the whole row, where pixels lie side by side). */
typedef struct {
    const fr_view *view;
    int32_t width;
    int32_t bytes;
    int32_t row;
    int32_t pixel;
    int32_t left;
    uint8_t *at;
} cursor;

static void start(cursor *c, const fr_view *view, const fr_box *box)
{
    c->view = view;
    c->width = box->width;
    c->bytes = box->bytes;
    if (view->pixel == box->bytes) {
        c->bytes = box->bytes * box->width;
        c->width = 1;
    }
    c->row = 0;
    c->pixel = 0;
    c->left = c->bytes;
    c->at = fr_row(view, 0);
}

static void advance(cursor *c, int32_t count)
{
    c->at += count;
    c->left -= count;
    if (c->left > 0) {
        return;
    }
    c->left = c->bytes;
    if (++c->pixel < c->width) {
        c->at += c->view->pixel - c->bytes;
        return;
    }
    c->pixel = 0;
    c->row++;
    c->at = fr_row(c->view, c->row);
}

void fr_copy(const fr_view *y, const fr_view *x, const fr_box *to, const fr_box *from)
{
    cursor target, source;
    int32_t total = to->rows * to->width * to->bytes;
    start(&target, y, to);
    start(&source, x, from);
    while (total > 0) {
        int32_t run = target.left < source.left ? target.left : source.left;
        memmove(target.at, source.at, (size_t)run);
        total -= run;
        if (total > 0) {
            advance(&target, run);
            advance(&source, run);
        }
    }
}

static void fill(uint8_t *at, int32_t count, const fr_border *op)
{
    int32_t i;
    for (i = 0; i < count; i++) {
        memcpy(at + (ptrdiff_t)i * op->element_bytes, op->value, (size_t)op->element_bytes);
    }
}

void fr_fill_border(const fr_view *y, const fr_border *op)
{
    int32_t row, pixel;
    for (row = 0; row < op->rows; row++) {
        uint8_t *at = fr_row(y, row);
        int32_t row_inside = row >= op->hole_row && row < op->hole_row + op->hole_rows;
        for (pixel = 0; pixel < op->width; pixel++) {
            int32_t inside = row_inside && pixel >= op->hole_pixel && pixel < op->hole_pixel + op->hole_width;
            if (inside) {
                int32_t end = op->hole_element + op->hole_elements;
                fill(at, op->hole_element, op);
                fill(at + (ptrdiff_t)end * op->element_bytes, op->elements - end, op);
            } else {
                fill(at, op->elements, op);
            }
            at += y->pixel;
        }
    }
}
