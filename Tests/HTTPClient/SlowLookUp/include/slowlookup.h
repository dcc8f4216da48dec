#pragma once

/* The lookup of this host name blocks until the test ends it, and then fails, as if the name server were down. */
#define SLOW_LOOK_UP_HOST "slow.maru.test"

/* Ends all lookups of that name, with future ones. */
void end_slow_look_ups(void);

/* Whether a lookup of that name has ended. */
int has_slow_look_up_ended(void);
