#include "vips.h"
#include <dlfcn.h>

/* Debian's name of the library; its number changes with every incompatible interface. */
#define LIBRARY "libvips.so.42"

int vips_open(struct vips *vips) {
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_GLOBAL);
    if (library == NULL) return -1;
#define FIND(name)                                                                                                     \
    if ((*(void **)&vips->name = dlsym(library, "vips_" #name)) == NULL) return -1;
    FIND(init) FIND(concurrency_set) FIND(cache_set_max) FIND(vector_set_enabled) FIND(operation_block_set)
    FIND(source_new_from_descriptor) FIND(image_new_from_source) FIND(image_new_from_memory) FIND(image_write_to_memory)
    FIND(image_get_width) FIND(image_get_height) FIND(image_get_bands) FIND(image_get_format) FIND(image_get_n_pages)
    FIND(image_get_page_height) FIND(image_get_orientation_swap)
    FIND(thumbnail_source) FIND(thumbnail_image) FIND(copy) FIND(colourspace) FIND(webpsave_buffer)
#undef FIND
    if (vips->init("picture-previews") != 0) return -1;
    vips->concurrency_set(1);
    vips->cache_set_max(0);
    /* It would make code at run time. */
    vips->vector_set_enabled(0);
    vips->operation_block_set("VipsForeignLoad", 1);
    vips->operation_block_set("VipsForeignLoadJpeg", 0);
    vips->operation_block_set("VipsForeignLoadPng", 0);
    vips->operation_block_set("VipsForeignLoadNsgif", 0);
    vips->operation_block_set("VipsForeignLoadWebp", 0);
    vips->operation_block_set("VipsForeignLoadHeif", 0);
    return 0;
}
