#include "build_commit.h"

#ifndef SOURCE_COMMIT
#define SOURCE_COMMIT ""
#endif

const char *postern_build_commit(void) { return SOURCE_COMMIT; }
