#ifndef POSTERN_LOG_H
#define POSTERN_LOG_H

// The number of this thread's next log lines of the library to suppress. They are counted and not recognised by their
// text: the library formats the lines of all threads in one buffer, where half a line may be another thread's when it
// is read.
extern _Thread_local int postern_lines_unheard;

#endif
