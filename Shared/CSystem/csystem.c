#define _GNU_SOURCE
#include "csystem.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

int cs_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

static int epoll_change(int epoll, int operation, int fd, uint32_t events, void *target) {
    struct epoll_event event;
    event.events = events;
    event.data.ptr = target;
    return epoll_ctl(epoll, operation, fd, &event);
}
int cs_epoll_add(int epoll, int fd, uint32_t events, void *target) {
    return epoll_change(epoll, EPOLL_CTL_ADD, fd, events, target);
}
int cs_epoll_modify(int epoll, int fd, uint32_t events, void *target) {
    return epoll_change(epoll, EPOLL_CTL_MOD, fd, events, target);
}
int cs_epoll_remove(int epoll, int fd) { return epoll_ctl(epoll, EPOLL_CTL_DEL, fd, 0); }

int cs_address_ip(const char *ip, uint16_t port, struct cs_address *out) {
    memset(out, 0, sizeof *out);
    struct sockaddr_in *v4 = (struct sockaddr_in *)&out->storage;
    if (inet_pton(AF_INET, ip, &v4->sin_addr) == 1) {
        v4->sin_family = AF_INET;
        v4->sin_port = htons(port);
        out->length = sizeof *v4;
        return 0;
    }
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&out->storage;
    if (inet_pton(AF_INET6, ip, &v6->sin6_addr) == 1) {
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons(port);
        out->length = sizeof *v6;
        return 0;
    }
    return -1;
}

int cs_address_unix(const char *path, struct cs_address *out) {
    memset(out, 0, sizeof *out);
    struct sockaddr_un *local = (struct sockaddr_un *)&out->storage;
    if (strlen(path) >= sizeof local->sun_path) return -1;
    local->sun_family = AF_UNIX;
    strcpy(local->sun_path, path);
    out->length = sizeof *local;
    return 0;
}

uint16_t cs_address_port(const struct cs_address *address) {
    switch (address->storage.ss_family) {
    case AF_INET: return ntohs(((const struct sockaddr_in *)&address->storage)->sin_port);
    case AF_INET6: return ntohs(((const struct sockaddr_in6 *)&address->storage)->sin6_port);
    default: return 0;
    }
}

int cs_address_text(const struct cs_address *address, char *out, size_t size) {
    switch (address->storage.ss_family) {
    case AF_INET:
        return inet_ntop(AF_INET, &((const struct sockaddr_in *)&address->storage)->sin_addr, out, size) ? 0 : -1;
    case AF_INET6: {
        const struct in6_addr *v6 = &((const struct sockaddr_in6 *)&address->storage)->sin6_addr;
        if (IN6_IS_ADDR_V4MAPPED(v6)) return inet_ntop(AF_INET, &v6->s6_addr[12], out, size) ? 0 : -1;
        return inet_ntop(AF_INET6, v6, out, size) ? 0 : -1;
    }
    case AF_UNIX: {
        const struct sockaddr_un *local = (const struct sockaddr_un *)&address->storage;
        if (strlen(local->sun_path) >= size) return -1;
        strcpy(out, local->sun_path);
        return 0;
    }
    default: return -1;
    }
}

int cs_resolve(const char *host, uint16_t port, struct cs_address *out, int capacity) {
    struct addrinfo hints, *list = 0;
    memset(&hints, 0, sizeof hints);
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_ADDRCONFIG;
    int failure = getaddrinfo(host, 0, &hints, &list);
    if (failure) return failure < 0 ? failure : -failure;
    int count = 0;
    for (struct addrinfo *each = list; each && count < capacity; each = each->ai_next) {
        if (each->ai_family != AF_INET && each->ai_family != AF_INET6) continue;
        memset(&out[count], 0, sizeof out[count]);
        memcpy(&out[count].storage, each->ai_addr, each->ai_addrlen);
        out[count].length = each->ai_addrlen;
        if (each->ai_family == AF_INET) ((struct sockaddr_in *)&out[count].storage)->sin_port = htons(port);
        else ((struct sockaddr_in6 *)&out[count].storage)->sin6_port = htons(port);
        count++;
    }
    freeaddrinfo(list);
    return count;
}

static void no_delay(int fd, int family) {
    int one = 1;
    if (family != AF_UNIX) setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

static int stream_socket(int family) { return socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); }

int cs_listen(const struct cs_address *address, int backlog, int reuse_port) {
    int family = address->storage.ss_family, one = 1;
    int fd = stream_socket(family);
    if (fd < 0) return -1;
    if (family != AF_UNIX) {
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
        if (reuse_port) setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &one, sizeof one);
    }
    if (bind(fd, (const struct sockaddr *)&address->storage, address->length) || listen(fd, backlog)) {
        int failure = errno;
        close(fd);
        errno = failure;
        return -1;
    }
    return fd;
}

int cs_accept(int listener, struct cs_address *peer) {
    peer->length = sizeof peer->storage;
    int fd = accept4(listener, (struct sockaddr *)&peer->storage, &peer->length, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) no_delay(fd, peer->storage.ss_family);
    return fd;
}

int cs_drop_new_connections(int listener) {
    /* Byte 13 of the TCP header has the flags. The first packet of a connection has neither ACK nor RST. */
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 13),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x14, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, 0xffffffff),
        BPF_STMT(BPF_RET | BPF_K, 0),
    };
    struct sock_fprog program = {sizeof code / sizeof *code, code};
    return setsockopt(listener, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
}

int cs_connect(const struct cs_address *address) {
    int fd = stream_socket(address->storage.ss_family);
    if (fd < 0) return -1;
    no_delay(fd, address->storage.ss_family);
    if (connect(fd, (const struct sockaddr *)&address->storage, address->length) && errno != EINPROGRESS) {
        int failure = errno;
        close(fd);
        errno = failure;
        return -1;
    }
    return fd;
}

int cs_socket_error(int fd) {
    int failure = 0;
    socklen_t size = sizeof failure;
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &failure, &size) ? errno : failure;
}

int cs_local_address(int fd, struct cs_address *out) {
    out->length = sizeof out->storage;
    return getsockname(fd, (struct sockaddr *)&out->storage, &out->length);
}

int cs_set_send_buffer(int fd, int bytes) { return setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes); }

ssize_t cs_send(int fd, const void *bytes, size_t count) { return send(fd, bytes, count, MSG_NOSIGNAL); }

int cs_signalfd(const int *signals, int count) {
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < count; i++) sigaddset(&set, signals[i]);
    if (pthread_sigmask(SIG_BLOCK, &set, 0)) return -1;
    return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

int cs_signal_next(int fd) {
    struct signalfd_siginfo info;
    return read(fd, &info, sizeof info) == sizeof info ? (int)info.ssi_signo : 0;
}

void cs_ignore_sigpipe(void) { signal(SIGPIPE, SIG_IGN); }

int64_t cs_file_age(const char *path) {
    struct stat status;
    return lstat(path, &status) ? -1 : (int64_t)(time(0) - status.st_mtime);
}

static _Thread_local void *current_loop;
void *cs_current_loop(void) { return current_loop; }
void cs_set_current_loop(void *loop) { current_loop = loop; }

int cs_thread_be_idle(void) {
    struct sched_param none = {0};
    return pthread_setschedparam(pthread_self(), SCHED_IDLE, &none);
}
void cs_thread_name(const char *name) { pthread_setname_np(pthread_self(), name); }

uint64_t cs_monotonic_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
static int64_t wall_microseconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}
int64_t cs_wall_microseconds(void) { return wall_microseconds(CLOCK_REALTIME); }
int64_t cs_wall_microseconds_of_tick(void) { return wall_microseconds(CLOCK_REALTIME_COARSE); }
