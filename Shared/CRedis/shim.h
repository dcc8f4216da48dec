#pragma once
#include <hiredis/read.h>
