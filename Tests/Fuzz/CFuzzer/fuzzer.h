#pragma once
#include <stddef.h>
#include <stdint.h>

/* libFuzzer as a library, linked by -sanitize=fuzzer: runs `target` on ever new input until its arguments say to stop. */
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*target)(const uint8_t *data, size_t size));
