#pragma once

enum { BLURHASH_X = 4, BLURHASH_Y = 3, BLURHASH_LENGTH = 2 + 4 + 2 * (BLURHASH_X * BLURHASH_Y - 1) };

/* Writes the BlurHash (https://blurha.sh) of a picture with three bytes a pixel, NUL-terminated. */
void blurhash(const unsigned char *pixels, int width, int height, char out[BLURHASH_LENGTH + 1]);
