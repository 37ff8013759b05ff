#ifndef POSTERN_BUILD_COMMIT_H
#define POSTERN_BUILD_COMMIT_H

/// Returns the commit of the sources of this build, e.g. `e417a76`: the value of `SOURCE_COMMIT` when the package was built.
/// Empty if that was not set.
const char *_Nonnull postern_build_commit(void);

#endif
