#ifndef POSTERN_PREFETCH_H
#define POSTERN_PREFETCH_H

/// Prefetches the memory at `place`, which is about to be written. Does not wait for it. Any address is allowed.
static inline void postern_prefetch_for_writing(const void *_Nonnull place) { __builtin_prefetch(place, 1); }

#endif
