#ifndef POSTERN_LOOP_IDENTITY_H
#define POSTERN_LOOP_IDENTITY_H

/// The loop that runs on the calling thread, NULL if none. A thread-local behind a function: glibc declares
/// pthread_self() __const__, so its value may be reused across a suspension that changed threads.
const void *_Nullable postern_current_loop(void);

/// Says which loop runs on the calling thread from here on.
void postern_set_current_loop(const void *_Nullable loop);

#endif
