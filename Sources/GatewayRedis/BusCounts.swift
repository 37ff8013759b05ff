/// The numbers of messages between nodes.
package struct BusCounts: Hashable, Sendable {
  package var sent: UInt64 = 0
  package var received: UInt64 = 0
  /// Messages that could not be published, or perhaps were not.
  package var lost: UInt64 = 0
  /// Messages that were of no known form.
  package var refused: UInt64 = 0
  /// How often messages may have been missed.
  package var gaps: UInt64 = 0
  /// How often an answer waited in vain for the node's own messages.
  package var late: UInt64 = 0

  package init() {}
}
