#pragma once

/* A name whose look-up takes long and finds nothing, like one whose name server is away. */
#define SLOW_LOOK_UP_HOST "slow.maru.test"
#define SLOW_LOOK_UP_SECONDS 3
