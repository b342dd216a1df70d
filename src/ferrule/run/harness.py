"""A small program around the network: files in, files out."""

from __future__ import annotations

from collections.abc import Sequence

from ferrule.program.c_names import identifier
from ferrule.program.geometry import geometry
from ferrule.program.plan import Plan, Step
from ferrule.program.program import Program

GUARD_BYTES = 256
GUARD_EXIT = 97


def traced_tensors(program: Program, plan: Plan) -> dict[int, list[str]]:
    """Which tensors have just been made after each step of the plan's body."""
    last: dict[str, int] = {}
    ops = {op.name: op for op in program.ops}
    for index, action in enumerate(plan.body):
        names = ops[action.op].outputs if isinstance(action, Step) else [action.target]
        for name in names:
            last[name] = index
    found: dict[int, list[str]] = {}
    for name, index in last.items():
        if name in program.tensors and not any(s.before == name for s in program.states):
            found.setdefault(index, []).append(name)
    return found


def harness_text(program: Program, plan: Plan, name: str, traced: Sequence[tuple[int, str]] = ()) -> str:
    """C of a program `harness IN OUT SAMPLES [WEIGHTS]`.

    IN holds, sample after sample, the inputs' dense arrays; OUT receives the outputs' and then the traced tensors' of
    each sample. Guard zones around the arena and around nothing else; exit code 97 when one was touched.
    """
    lower, upper = identifier(name), identifier(name).upper()
    inputs = ", ".join(str(program.tensors[n].size_bytes) for n in program.inputs) or "0"
    outputs = ", ".join(str(program.tensors[n].size_bytes) for n in program.outputs) or "0"
    rows = []
    for step, tensor in traced:
        shape, view = geometry(program.tensors[tensor]), plan.views[tensor]
        buffer = plan.buffers.get(view.buffer)
        offset = view.offset + (buffer.offset if buffer else 0)
        rows.append(
            f"{{{step}, {offset}, {view.pitch}, {view.pixel}, {shape.rows}, {shape.width}, {shape.pixel_bytes}}}"
        )
    table = ",\n    ".join(rows) or "{-1, 0, 0, 0, 0, 0, 0}"
    return f"""/* Test program of Ferrule: runs {lower} on samples from a file. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "{lower}.h"

#define GUARD {GUARD_BYTES}

typedef struct {{
    int step, offset, pitch, pixel, rows, width, bytes;
}} traced;

static const traced tensors[] = {{
    {table}}};
static FILE *out;
static uint8_t *trace_buffer;
static size_t trace_size;

static void keep(const void *data, size_t size)
{{
    if (size && fwrite(data, 1, size, out) != size) {{
        exit(3);
    }}
}}

void {lower}_harness_after(const {lower}_context *ctx, int index);

void {lower}_harness_after(const {lower}_context *ctx, int index)
{{
    size_t i;
    for (i = 0; i < sizeof tensors / sizeof tensors[0]; i++) {{
        const traced *t = &tensors[i];
        int row, column;
        if (t->step != index) {{
            continue;
        }}
        for (row = 0; row < t->rows; row++) {{
            const uint8_t *at = ctx->arena + t->offset + (ptrdiff_t)row * t->pitch;
            for (column = 0; column < t->width; column++) {{
                uint8_t *grown = (uint8_t *)realloc(trace_buffer, trace_size + (size_t)t->bytes + 1);
                if (grown == NULL) {{
                    exit(4);
                }}
                trace_buffer = grown;
                memcpy(trace_buffer + trace_size, at, (size_t)t->bytes);
                trace_size += (size_t)t->bytes;
                at += t->pixel;
            }}
        }}
    }}
}}

int main(int argc, char **argv)
{{
    static const size_t input_bytes[] = {{{inputs}}};
    static const size_t output_bytes[] = {{{outputs}}};
    size_t total = (size_t){upper}_ARENA_BYTES + 2 * GUARD + {upper}_ARENA_ALIGN;
    uint8_t *block = (uint8_t *)malloc(total);
    uint8_t *arena;
    {lower}_context ctx;
    FILE *in;
    long sample, samples;
    size_t i, before;
    if (argc < 4 || block == NULL) {{
        return 2;
    }}
    memset(block, 0xa5, total);
    arena = block + GUARD;
    arena += ({upper}_ARENA_ALIGN - (uintptr_t)arena % {upper}_ARENA_ALIGN) % {upper}_ARENA_ALIGN;
    before = (size_t)(arena - block);
    in = fopen(argv[1], "rb");
    out = fopen(argv[2], "wb");
    samples = atol(argv[3]);
    if (in == NULL || out == NULL) {{
        return 2;
    }}
#ifdef {upper}_BINARY_WEIGHTS
    {{
        static uint32_t weights[({upper}_WEIGHTS_BYTES + 3) / 4];
        FILE *file = argc > 4 ? fopen(argv[4], "rb") : NULL;
        if (file == NULL || fread(weights, 1, {upper}_WEIGHTS_BYTES, file) != {upper}_WEIGHTS_BYTES) {{
            return 2;
        }}
        fclose(file);
        if ({lower}_init(&ctx, arena, {upper}_ARENA_BYTES, weights, {upper}_WEIGHTS_BYTES) != {upper}_OK) {{
            return 5;
        }}
    }}
#else
    if ({lower}_init(&ctx, arena, {upper}_ARENA_BYTES) != {upper}_OK) {{
        return 5;
    }}
#endif
    for (sample = 0; sample < samples; sample++) {{
        for (i = 0; i < {upper}_INPUTS; i++) {{
            if (fread({lower}_input(&ctx, (int32_t)i), 1, input_bytes[i], in) != input_bytes[i]) {{
                return 2;
            }}
        }}
        trace_size = 0;
        if ({lower}_run(&ctx) != {upper}_OK) {{
            return 6;
        }}
        for (i = 0; i < {upper}_OUTPUTS; i++) {{
            keep({lower}_output(&ctx, (int32_t)i), output_bytes[i]);
        }}
        keep(trace_buffer, trace_size);
        for (i = 0; i < total; i++) {{
            if ((i < before || i >= before + {upper}_ARENA_BYTES) && block[i] != 0xa5) {{
                return {GUARD_EXIT};
            }}
        }}
    }}
    fclose(in);
    free(block);
    free(trace_buffer);
    return fclose(out) ? 3 : 0;
}}
"""


def traced_order(program: Program, plan: Plan, wanted: Sequence[str] | None = None) -> list[tuple[int, str]]:
    """The traced tensors as (step, name) in the order in which the harness writes them; None traces all it can."""
    by_step = traced_tensors(program, plan)
    chosen = None if wanted is None else set(wanted)
    return [(s, n) for s in sorted(by_step) for n in by_step[s] if chosen is None or n in chosen]
