"""A target's file to start from."""

EXAMPLE = """\
name = "my-board"
title = "our board: STM32F746, 8 MiB SDRAM"
kind = "board"

[sources.manual]                # where figures come from; may be left out
text = "reference manual RM0385"
trust = "own"                   # vendor, general (not looked up) or own

[[core]]                        # the first core runs the network
name = "cortex-m7"              # cortex-m0, -m3, -m4, -m7, -m33, -m55, -a7, -a35
clock_hz = 216_000_000
source = "manual"

[[memory]]
name = "SRAM"
kind = "ram"                    # ram or flash
base = 0x20010000
size = "256K"                   # bytes, or a number with K, M, G
usable = "200K"                 # what your application leaves to the network; may be left out
use = ["activations"]           # taken without being asked for: activations, weights, both or none
latency = "low"                 # low, mid, high
throughput = "high"             # low, mid, high
source = "manual"

[[memory]]
name = "SDRAM"
kind = "ram"
base = 0xC0000000
size = "8M"
external = true
cacheable = true
note = "taken with --memory activations=SDRAM"

[[memory]]
name = "FLASH"
kind = "flash"
base = 0x08000000
size = "1M"
use = ["weights"]
"""
