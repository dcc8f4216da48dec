#pragma once
#include <zlib.h>

/* Wrappers for zlib's initialisers, which are macros, and so not visible in Swift. Raw streams have no zlib header and
   checksum. */
static inline int cz_deflate_init_raw(z_stream *stream, int level, int window_bits, int memory_level) {
    return deflateInit2(stream, level, Z_DEFLATED, -window_bits, memory_level, Z_DEFAULT_STRATEGY);
}
static inline int cz_inflate_init_raw(z_stream *stream, int window_bits) { return inflateInit2(stream, -window_bits); }
