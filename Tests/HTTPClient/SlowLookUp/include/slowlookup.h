#pragma once

/* The look-up of this name lasts until the test ends it, and finds nothing, like one with an unreachable name server. */
#define SLOW_LOOK_UP_HOST "slow.maru.test"

/* Lets the look-ups of that name end, those to come, too. */
void end_slow_look_ups(void);

/* Whether a look-up of that name has ended. */
int has_slow_look_up_ended(void);
