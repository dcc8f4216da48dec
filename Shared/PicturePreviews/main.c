/* Makes the previews of one picture: reads it from standard input, which is a file, and writes to standard output

       <width> <height> <1 if it is animated, else 0> <BlurHash> <bytes of the small preview> <bytes of the medium one>\n

   and the two previews in WebP. Width and height are those of the picture as it is shown. The previews are turned as the
   picture says, show the first frame, and have no metadata.

   The process limits its time, its memory and its system calls before it reads the picture, and ends by a signal at a limit. */
#define _GNU_SOURCE
#include "blurhash.h"
#include "limits.h"
#include "vips.h"
#include "webp.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLUR_SIZE = 32, QUALITY = 80 };
enum { IS_USED_WRONGLY = 2, HAS_NO_LIBRARY = 3, HAS_NO_LIMITS = 4, IS_NO_PICTURE = 5 };

static int write_all(const void *bytes, size_t count) {
    for (size_t done = 0; done < count;) {
        ssize_t written = write(STDOUT_FILENO, (const char *)bytes + done, count - done);
        if (written < 0) return -1;
        done += (size_t)written;
    }
    return 0;
}

/* The picture with three or four bytes a pixel, and nothing but its pixels. */
static VipsImage *reduced(const struct vips *vips, VipsSource *source, int size) {
    VipsImage *turned, *coloured;
    if (vips->thumbnail_source(source, &turned, size, "height", size, "size", VIPS_SIZE_DOWN, NULL) != 0) return NULL;
    if (vips->colourspace(turned, &coloured, VIPS_INTERPRETATION_SRGB, NULL) != 0) return NULL;
    size_t bytes;
    void *pixels = vips->image_write_to_memory(coloured, &bytes);
    if (pixels == NULL || vips->image_get_format(coloured) != VIPS_FORMAT_UCHAR) return NULL;
    VipsImage *bare = vips->image_new_from_memory(
        pixels, bytes, vips->image_get_width(coloured), vips->image_get_height(coloured), vips->image_get_bands(coloured), VIPS_FORMAT_UCHAR);
    VipsImage *image;
    if (bare == NULL || vips->copy(bare, &image, "interpretation", VIPS_INTERPRETATION_SRGB, NULL) != 0) return NULL;
    return image;
}

/* Writes the BlurHash of a picture; transparent parts count as white. Returns 0 or -1. */
static int blur(const struct vips *vips, VipsImage *image, char out[BLURHASH_LENGTH + 1]) {
    VipsImage *tiny;
    if (vips->thumbnail_image(image, &tiny, BLUR_SIZE, "height", BLUR_SIZE, NULL) != 0) return -1;
    int width = vips->image_get_width(tiny), height = vips->image_get_height(tiny), bands = vips->image_get_bands(tiny);
    if (vips->image_get_format(tiny) != VIPS_FORMAT_UCHAR || (bands != 3 && bands != 4)) return -1;
    size_t size;
    unsigned char *pixels = vips->image_write_to_memory(tiny, &size);
    if (pixels == NULL || size != (size_t)width * height * bands) return -1;
    for (int pixel = 0; pixel < width * height; pixel++) {
        int opacity = bands == 4 ? pixels[4 * pixel + 3] : 255;
        for (int band = 0; band < 3; band++) {
            pixels[3 * pixel + band] = (pixels[bands * pixel + band] * opacity + 255 * (255 - opacity)) / 255;
        }
    }
    blurhash(pixels, width, height, out);
    return 0;
}

static int make(const struct vips *vips, int small_size, int medium_size) {
    VipsSource *source = vips->source_new_from_descriptor(STDIN_FILENO);
    if (source == NULL) return -1;
    VipsImage *whole = vips->image_new_from_source(source, "", NULL);
    if (whole == NULL) return -1;
    int width = vips->image_get_width(whole), height = vips->image_get_page_height(whole);
    int is_animated = vips->image_get_n_pages(whole) > 1;
    if (vips->image_get_orientation_swap(whole)) {
        int side = width;
        width = height;
        height = side;
    }
    VipsImage *medium = reduced(vips, source, medium_size), *small;
    if (medium == NULL) return -1;
    if (vips->thumbnail_image(medium, &small, small_size, "height", small_size, "size", VIPS_SIZE_DOWN, NULL) != 0) return -1;
    char hash[BLURHASH_LENGTH + 1];
    if (blur(vips, medium, hash) != 0) return -1;
    void *bytes[2];
    size_t sizes[2];
    VipsImage *images[2] = {small, medium};
    for (int place = 0; place < 2; place++) {
        if (vips->webpsave_buffer(images[place], &bytes[place], &sizes[place], "Q", QUALITY, "effort", 2, NULL) != 0) return -1;
        sizes[place] = webp_without_metadata(bytes[place], sizes[place]);
    }
    char line[128];
    int length = snprintf(line, sizeof line, "%d %d %d %s %zu %zu\n", width, height, is_animated, hash, sizes[0], sizes[1]);
    if (write_all(line, (size_t)length) != 0 || write_all(bytes[0], sizes[0]) != 0) return -1;
    return write_all(bytes[1], sizes[1]);
}

int main(int count, char **arguments) {
    if (count != 6) {
        fprintf(stderr, "usage: picture-previews SMALL MEDIUM PROCESSOR-SECONDS SECONDS MEMORY <picture\n");
        return IS_USED_WRONGLY;
    }
    int small = atoi(arguments[1]), medium = atoi(arguments[2]);
    struct limits limits = {
        .processor_seconds = (unsigned)atoi(arguments[3]),
        .seconds = (unsigned)atoi(arguments[4]),
        .memory = strtoul(arguments[5], NULL, 10),
    };
    if (small <= 0 || medium < small || limits.processor_seconds == 0 || limits.seconds == 0) return IS_USED_WRONGLY;
    if (set_limits(&limits) != 0) return HAS_NO_LIMITS;
    struct vips vips;
    if (vips_open(&vips) != 0) return HAS_NO_LIBRARY;
    /* The library may have left files open. */
    if (close_range(3, ~0U, 0) != 0 || allow_decoding_only() != 0) return HAS_NO_LIMITS;
    if (make(&vips, small, medium) != 0) return IS_NO_PICTURE;
    /* Nothing is left to do, and the library would end its threads one by one. */
    _exit(0);
}
