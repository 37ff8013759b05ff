internal import CRuntime

/// The memory that only the start of a process needs, most of it pages of code.
package enum StartMemory {
  /// Returns it to the system, in about a millisecond. Code that is used again is mapped again from its file, 16 pages at a
  /// time.
  package static func release() { postern_release_start_memory() }
}
