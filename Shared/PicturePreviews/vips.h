#pragma once
#include <stddef.h>

/* The functions of libvips that previews need. The library is opened at run time, as its bindings for other languages do: the
   build needs no packages, and a machine without the library makes no previews. The names and numbers below are those of its
   public interface, which `libvips.so.42` keeps. */
typedef struct _VipsImage VipsImage;
typedef struct _VipsSource VipsSource;

enum { VIPS_SIZE_DOWN = 2, VIPS_INTERPRETATION_SRGB = 22, VIPS_FORMAT_UCHAR = 0, VIPS_FAIL_ON_NONE = 0 };

struct vips {
    int (*init)(const char *program);
    void (*concurrency_set)(int threads);
    void (*cache_set_max)(int operations);
    void (*vector_set_enabled)(int enabled);
    void (*operation_block_set)(const char *name, int blocked);
    VipsSource *(*source_new_from_descriptor)(int descriptor);
    VipsImage *(*image_new_from_source)(VipsSource *source, const char *options, ...);
    VipsImage *(*image_new_from_memory)(const void *pixels, size_t size, int width, int height, int bands, int format);
    void *(*image_write_to_memory)(VipsImage *image, size_t *size);
    int (*image_get_width)(const VipsImage *image);
    int (*image_get_height)(const VipsImage *image);
    int (*image_get_bands)(const VipsImage *image);
    int (*image_get_format)(const VipsImage *image);
    int (*image_get_n_pages)(VipsImage *image);
    int (*image_get_page_height)(VipsImage *image);
    int (*image_get_orientation_swap)(VipsImage *image);
    int (*thumbnail_source)(VipsSource *source, VipsImage **out, int width, ...);
    int (*thumbnail_image)(VipsImage *in, VipsImage **out, int width, ...);
    int (*copy)(VipsImage *in, VipsImage **out, ...);
    int (*colourspace)(VipsImage *in, VipsImage **out, int space, ...);
    int (*webpsave_buffer)(VipsImage *in, void **bytes, size_t *size, ...);
};

/* Opens the library and starts it: pictures in JPEG, PNG, GIF, WebP and HEIC can be loaded, and nothing else. Returns 0, or -1 if
   there is no library. */
int vips_open(struct vips *vips);
