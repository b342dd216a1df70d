/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Carries bytes between views: a box into a box, and the border around a box. */
#ifndef FR_COPY_H
#define FR_COPY_H

#include "fr_view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int32_t rows;
    int32_t width; /* pixels of a row */
    int32_t bytes; /* of a pixel that belong to the box */
} fr_box;

/* The bytes of box `from` of x, in order, become those of box `to` of y. The boxes hold equally many bytes. */
void fr_copy(const fr_view *y, const fr_view *x, const fr_box *to, const fr_box *from);

typedef struct {
    int32_t rows; /* of y */
    int32_t width;
    int32_t elements; /* of a pixel */
    int32_t element_bytes;
    int32_t hole_row; /* the box that is left alone */
    int32_t hole_pixel;
    int32_t hole_element;
    int32_t hole_rows;
    int32_t hole_width;
    int32_t hole_elements;
    uint8_t value[8]; /* one element, as it lies in memory */
} fr_border;

/* Every element of y outside the hole becomes the value. */
void fr_fill_border(const fr_view *y, const fr_border *op);

#ifdef __cplusplus
}
#endif
#endif
