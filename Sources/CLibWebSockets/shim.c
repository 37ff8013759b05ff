#include "postern_lws.h"
