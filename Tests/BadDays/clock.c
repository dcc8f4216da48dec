// A clock that is wrong by the seconds in the file of WRONG_CLOCK, eight bytes that may change at any time. Preload it.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *seconds;

__attribute__((constructor)) static void open_clock(void) {
    const char *path = getenv("WRONG_CLOCK");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *page = mmap(NULL, sizeof *seconds, PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (page != MAP_FAILED) seconds = page;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int result = syscall(SYS_clock_gettime, clock, now);
    if (result == 0 && seconds && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += *seconds;
    return result;
}

time_t time(time_t *target) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (target) *target = now.tv_sec;
    return now.tv_sec;
}

int gettimeofday(struct timeval *target, void *zone) {
    (void)zone;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    target->tv_sec = now.tv_sec;
    target->tv_usec = now.tv_nsec / 1000;
    return 0;
}
