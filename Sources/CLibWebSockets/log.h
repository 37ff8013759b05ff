#ifndef POSTERN_LOG_H
#define POSTERN_LOG_H

// How many of this thread's next lines of the library's log are nobody's business. Counted and not known by their words: the library
// lays all lines out in one place for all threads, where a line may be half another's by the time it is read.
extern _Thread_local int postern_lines_unheard;

#endif
