#pragma once

/* Limits that the process sets for itself before it reads the first byte of a picture. */
struct limits {
    /* Seconds of processor time; the kernel ends the process after them. */
    unsigned processor_seconds;
    /* Seconds of real time. */
    unsigned seconds;
    /* Bytes of address space. */
    unsigned long memory;
};

/* Limits time and memory, and closes all descriptors but the first three. Returns 0, or -1 with errno. */
int set_limits(const struct limits *limits);

/* Refuses all system calls but those that decoding needs: no files, no network, no other programs, no new code. Returns 0, or
   -1 with errno. */
int allow_decoding_only(void);
