#define _GNU_SOURCE
#include "slowlookup.h"
#include <dlfcn.h>
#include <netdb.h>
#include <string.h>
#include <unistd.h>

/* Stands before the system's function of this name in the test program; other names go on to that. */
int getaddrinfo(
    const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
    if (host && strcmp(host, SLOW_LOOK_UP_HOST) == 0) {
        sleep(SLOW_LOOK_UP_SECONDS);
        return EAI_NONAME;
    }
    int (*next)(const char *, const char *, const struct addrinfo *, struct addrinfo **) =
        dlsym(RTLD_NEXT, "getaddrinfo");
    return next(host, service, hints, found);
}
