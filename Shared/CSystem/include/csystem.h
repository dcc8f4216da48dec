#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/types.h>

/* Functions that Glibc's Swift overlay lacks: epoll, accept4, signalfd, thread-locals and thread scheduling. */

int cs_epoll_create(void);
int cs_epoll_add(int epoll, int fd, uint32_t events, void *target);
int cs_epoll_modify(int epoll, int fd, uint32_t events, void *target);
int cs_epoll_remove(int epoll, int fd);
static inline void *cs_event_target(const struct epoll_event *event) { return event->data.ptr; }

/* An address of any family, small enough to copy. length 0 means none. */
struct cs_address {
    struct sockaddr_storage storage;
    socklen_t length;
};

/* Fill `out`; return 0, or -1 if the text is not a numeric address or the path is too long. */
int cs_address_ip(const char *ip, uint16_t port, struct cs_address *out);
int cs_address_unix(const char *path, struct cs_address *out);
uint16_t cs_address_port(const struct cs_address *address);
/* Writes the numeric host without port, NUL-terminated; returns 0 or -1. */
int cs_address_text(const struct cs_address *address, char *out, size_t size);
/* getaddrinfo for a stream socket; blocks. Returns the number of addresses, at most `capacity`, or a negative EAI_
   code. */
int cs_resolve(const char *host, uint16_t port, struct cs_address *out, int capacity);

/* All sockets are non-blocking, close-on-exec and, for TCP, without Nagle. Return a descriptor or -1 with errno. */
int cs_listen(const struct cs_address *address, int backlog, int reuse_port);
int cs_accept(int listener, struct cs_address *peer);
/* Makes the kernel drop requests to connect, which their clients repeat after a second. Handshakes under way go on. */
int cs_drop_new_connections(int listener);
int cs_connect(const struct cs_address *address);
int cs_socket_error(int fd);
int cs_local_address(int fd, struct cs_address *out);
int cs_set_send_buffer(int fd, int bytes);
ssize_t cs_send(int fd, const void *bytes, size_t count);

/* Blocks the signals in the calling thread and returns a descriptor that reports them. */
int cs_signalfd(const int *signals, int count);
/* Returns the next signal's number, or 0 if none is pending. */
int cs_signal_next(int fd);
void cs_ignore_sigpipe(void);

/* Returns the seconds since a file was last written, or -1 if it does not exist. */
int64_t cs_file_age(const char *path);

/* Starts loading memory into the caches; harmless for an address that is not mapped any more. */
static inline void cs_prefetch(const void *start, size_t count) {
    const char *line = (const char *)((uintptr_t)start & ~(uintptr_t)63);
    for (; line < (const char *)start + count; line += 64) __builtin_prefetch(line);
}

void *cs_current_loop(void);
void cs_set_current_loop(void *loop);

/* Gives the calling thread idle priority (SCHED_IDLE). */
int cs_thread_be_idle(void);
void cs_thread_name(const char *name);

uint64_t cs_monotonic_nanoseconds(void);
/* Microseconds since 1970, UTC. */
int64_t cs_wall_microseconds(void);
/* The time of the kernel's last tick, some milliseconds ago, for a fraction of the cost. */
int64_t cs_wall_microseconds_of_tick(void);
