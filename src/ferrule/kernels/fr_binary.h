/* SPDX-License-Identifier: 0BSD -- emitted by Ferrule, owned by Ferrule: do not edit. */
/* Numbers of the elementwise functions of two operands. */
#ifndef FR_BINARY_H
#define FR_BINARY_H

/* Function numbers of a binary op. */
enum {
    FR_ADD, FR_SUB, FR_MUL, FR_DIV, FR_MIN, FR_MAX, FR_POW, FR_SQUARED_DIFFERENCE, FR_MOD, FR_FMOD,
    FR_EQUAL, FR_LESS, FR_GREATER, FR_LESS_EQUAL, FR_GREATER_EQUAL, FR_AND, FR_OR, FR_XOR
};

#endif
