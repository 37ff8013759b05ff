#ifndef POSTERN_PREFETCH_H
#define POSTERN_PREFETCH_H

/// Has the memory at `place` brought near, to be written soon. Nobody waits for it, and any address will do.
static inline void postern_prefetch_for_writing(const void *_Nonnull place) { __builtin_prefetch(place, 1); }

#endif
