#include "loop_identity.h"

static _Thread_local const void *current_loop;

__attribute__((noinline)) const void *postern_current_loop(void) { return current_loop; }

__attribute__((noinline)) void postern_set_current_loop(const void *loop) { current_loop = loop; }
