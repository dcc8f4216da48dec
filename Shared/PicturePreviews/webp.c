#include "webp.h"
#include <stdint.h>
#include <string.h>

/* `RIFF`, a size and `WEBP`; then chunks: four letters, a size and as many bytes, to an even number. */
enum { HEAD = 12, CHUNK_HEAD = 8 };
/* The flags of the chunk `VP8X` that say which metadata follows. */
enum { HAS_PROFILE = 0x20, HAS_EXIF = 0x08, HAS_XMP = 0x04 };

static uint32_t number(const unsigned char *bytes) {
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static int is_metadata(const unsigned char *chunk) {
    return memcmp(chunk, "EXIF", 4) == 0 || memcmp(chunk, "XMP ", 4) == 0 || memcmp(chunk, "ICCP", 4) == 0;
}

size_t webp_without_metadata(unsigned char *bytes, size_t size) {
    size_t kept = HEAD;
    for (size_t place = HEAD; place + CHUNK_HEAD <= size;) {
        size_t length = CHUNK_HEAD + (size_t)number(bytes + place + 4);
        length += length & 1;
        if (length > size - place) length = size - place;
        if (!is_metadata(bytes + place)) {
            memmove(bytes + kept, bytes + place, length);
            if (memcmp(bytes + kept, "VP8X", 4) == 0) bytes[kept + CHUNK_HEAD] &= ~(HAS_PROFILE | HAS_EXIF | HAS_XMP);
            kept += length;
        }
        place += length;
    }
    for (int place = 0; place < 4; place++) bytes[4 + place] = (unsigned char)((kept - CHUNK_HEAD) >> 8 * place);
    return kept;
}
