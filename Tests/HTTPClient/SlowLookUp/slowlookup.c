#define _GNU_SOURCE
#include "slowlookup.h"
#include <dlfcn.h>
#include <netdb.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t end = PTHREAD_COND_INITIALIZER;
static int may_end;
static atomic_int has_ended;

void end_slow_look_ups(void) {
    pthread_mutex_lock(&lock);
    may_end = 1;
    pthread_cond_broadcast(&end);
    pthread_mutex_unlock(&lock);
}

int has_slow_look_up_ended(void) { return has_ended; }

/* Overrides the system's function of this name in the test program; other names are passed on to it. */
int getaddrinfo(
    const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
    if (host && strcmp(host, SLOW_LOOK_UP_HOST) == 0) {
        /* A time-out, so that a test fails rather than hangs. */
        struct timespec limit;
        clock_gettime(CLOCK_REALTIME, &limit);
        limit.tv_sec += 60;
        pthread_mutex_lock(&lock);
        while (!may_end && pthread_cond_timedwait(&end, &lock, &limit) == 0) {}
        pthread_mutex_unlock(&lock);
        has_ended = 1;
        return EAI_NONAME;
    }
    int (*next)(const char *, const char *, const struct addrinfo *, struct addrinfo **) =
        dlsym(RTLD_NEXT, "getaddrinfo");
    return next(host, service, hints, found);
}
