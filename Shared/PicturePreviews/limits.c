#define _GNU_SOURCE
#include "limits.h"
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "The numbers of system calls are known for x86-64 and ARM64."
#endif

static int limit(__rlimit_resource_t resource, rlim_t soft, rlim_t hard) {
    struct rlimit value = {.rlim_cur = soft, .rlim_max = hard};
    return setrlimit(resource, &value);
}

int set_limits(const struct limits *limits) {
    alarm(limits->seconds);
    /* The services come first. */
    errno = 0;
    if (nice(10) == -1 && errno != 0) return -1;
    if (close_range(3, ~0U, 0) != 0) return -1;
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return -1;
    if (limit(RLIMIT_CPU, limits->processor_seconds, limits->processor_seconds + 1) != 0) return -1;
    if (limit(RLIMIT_AS, limits->memory, limits->memory) != 0) return -1;
    /* Libraries are opened before the filter; no file is written. */
    if (limit(RLIMIT_FSIZE, 0, 0) != 0) return -1;
    return limit(RLIMIT_CORE, 0, 0);
}

#define LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define REFUSE(code) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (code))
/* Allows a call of this number. */
#define CALL(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##name, 0, 1), ALLOW
/* Allows a call if the low half of an argument has none of these bits. */
#define CALL_WITHOUT(name, place, bits)                                                                                \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##name, 0, 4), LOAD(args[place]),                                         \
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1), REFUSE(EPERM), ALLOW
/* Allows a call if the low half of an argument has these bits. */
#define CALL_WITH(name, place, bits)                                                                                   \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##name, 0, 4), LOAD(args[place]),                                         \
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 1, 0), REFUSE(EPERM), ALLOW

int allow_decoding_only(void) {
    struct sock_filter rules[] = {
        LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        LOAD(nr),
        CALL(read), CALL(pread64), CALL(readv), CALL(lseek), CALL(write), CALL(writev), CALL(close), CALL(dup),
        CALL(fcntl), CALL(fstat), CALL(newfstatat),
        CALL(brk), CALL(munmap), CALL(mremap), CALL(madvise),
        CALL_WITHOUT(mmap, 2, PROT_EXEC), CALL_WITHOUT(mprotect, 2, PROT_EXEC),
        CALL(futex), CALL(sched_yield), CALL(sched_getaffinity), CALL(set_robust_list), CALL(rseq),
        /* Threads, but no processes. */
        CALL_WITH(clone, 0, CLONE_THREAD),
        CALL(clock_gettime), CALL(clock_nanosleep), CALL(gettimeofday), CALL(getrandom), CALL(sysinfo),
        CALL(getpid), CALL(gettid), CALL(tgkill), CALL(prctl),
        CALL(rt_sigaction), CALL(rt_sigprocmask), CALL(rt_sigreturn), CALL(restart_syscall),
        CALL(exit), CALL(exit_group),
        /* The arguments of clone3 are in memory, which a filter cannot read. The C library takes clone then. */
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone3, 0, 1), REFUSE(ENOSYS),
        REFUSE(EPERM),
    };
    struct sock_fprog program = {.len = sizeof(rules) / sizeof(*rules), .filter = rules};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
