#pragma once
#include <stddef.h>

/* Removes everything from a picture in WebP but the picture: EXIF, XMP and colour profiles. Returns its new size. */
size_t webp_without_metadata(unsigned char *bytes, size_t size);
