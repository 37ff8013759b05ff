#ifndef POSTERN_BUILD_COMMIT_H
#define POSTERN_BUILD_COMMIT_H

/// The commit of the sources that this was built from, `e417a76` for instance, as `SOURCE_COMMIT` said when the package was
/// built; empty where it said nothing.
const char *_Nonnull postern_build_commit(void);

#endif
