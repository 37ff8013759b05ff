#ifndef POSTERN_LIBEV_SHIM_H
#define POSTERN_LIBEV_SHIM_H

#include <ev.h>

// ev.h initialises its watchers with macros, which Swift does not import.

static inline struct ev_loop *postern_ev_loop_new(void) {
  return ev_loop_new(EVBACKEND_EPOLL | EVFLAG_NOENV | EVFLAG_NOSIGMASK);
}

static inline void postern_ev_io_init(ev_io *watcher, void (*callback)(struct ev_loop *, ev_io *, int), int fd,
                                      int events) {
  ev_io_init(watcher, callback, fd, events);
}

static inline void postern_ev_timer_init(ev_timer *watcher, void (*callback)(struct ev_loop *, ev_timer *, int),
                                         double after, double repeat) {
  ev_timer_init(watcher, callback, after, repeat);
}

static inline void postern_ev_async_init(ev_async *watcher, void (*callback)(struct ev_loop *, ev_async *, int)) {
  ev_async_init(watcher, callback);
}

/// A check watcher that runs before everything else the wake-up brought.
static inline void postern_ev_check_init(ev_check *watcher, void (*callback)(struct ev_loop *, ev_check *, int)) {
  ev_check_init(watcher, callback);
  ev_set_priority(watcher, EV_MAXPRI);
}

#endif
