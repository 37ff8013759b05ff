#ifndef POSTERN_START_MEMORY_H
#define POSTERN_START_MEMORY_H

/// Unmaps pages of code and constants. The system maps them again from their files when they are next used. Does nothing in
/// a debugger, whose breakpoints are in such pages.
void postern_release_start_memory(void);

#endif
