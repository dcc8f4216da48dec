#include "blurhash.h"
#include <math.h>

static const char DIGITS[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~";

static char *digits(char *out, int value, int count) {
    for (int place = count - 1; place >= 0; place--) {
        out[place] = DIGITS[value % 83];
        value /= 83;
    }
    return out + count;
}

static double linear(int value) {
    double part = value / 255.0;
    return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4);
}

static int encoded(double value) {
    double part = fmax(0, fmin(1, value));
    return (int)((part <= 0.0031308 ? part * 12.92 : 1.055 * pow(part, 1 / 2.4) - 0.055) * 255 + 0.5);
}

/* A part of a colour as one of 19 steps, finer near 0. */
static int step(double value, double most) {
    double part = value / most;
    double root = copysign(sqrt(fabs(part)), part);
    return (int)fmax(0, fmin(18, floor(root * 9 + 9.5)));
}

void blurhash(const unsigned char *pixels, int width, int height, char out[BLURHASH_LENGTH + 1]) {
    double parts[BLURHASH_X * BLURHASH_Y][3] = {{0}};
    for (int v = 0; v < BLURHASH_Y; v++) {
        for (int u = 0; u < BLURHASH_X; u++) {
            double *part = parts[v * BLURHASH_X + u];
            for (int y = 0; y < height; y++) {
                for (int x = 0; x < width; x++) {
                    double wave = cos(M_PI * u * x / width) * cos(M_PI * v * y / height);
                    const unsigned char *pixel = pixels + 3 * (y * width + x);
                    for (int band = 0; band < 3; band++) part[band] += wave * linear(pixel[band]);
                }
            }
            double scale = (u == 0 && v == 0 ? 1.0 : 2.0) / (width * height);
            for (int band = 0; band < 3; band++) part[band] *= scale;
        }
    }
    double largest = 0;
    for (int place = 1; place < BLURHASH_X * BLURHASH_Y; place++) {
        for (int band = 0; band < 3; band++) largest = fmax(largest, fabs(parts[place][band]));
    }
    int steps = (int)fmax(0, fmin(82, floor(largest * 166 - 0.5)));
    double most = (steps + 1) / 166.0;
    out = digits(out, (BLURHASH_X - 1) + (BLURHASH_Y - 1) * 9, 1);
    out = digits(out, steps, 1);
    out = digits(out, (encoded(parts[0][0]) << 16) + (encoded(parts[0][1]) << 8) + encoded(parts[0][2]), 4);
    for (int place = 1; place < BLURHASH_X * BLURHASH_Y; place++) {
        const double *part = parts[place];
        out = digits(out, step(part[0], most) * 361 + step(part[1], most) * 19 + step(part[2], most), 2);
    }
    *out = 0;
}
