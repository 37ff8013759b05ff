/// The streamed body of a response, e.g. a feed of events. The server requests its pieces one at a time. The body of a request
/// that is passed on is one too.
///
/// The server requests the next piece when few of the earlier bytes still wait for the reader, and never two at once.
/// The source decides what a slow reader misses. When the reader disconnects, the task that waits for a piece is
/// cancelled, and the source must wake up (`withTaskCancellationHandler`).
///
/// The stream is released when it is over, or when the body turns out not to be needed before the first request.
/// Cleanup therefore belongs into the deinitializer of an object that `next` captures.
package final class HTTPStream: Sendable {
  /// A function that returns the next piece, and nil at the end. Runs on the loop that reads the request.
  package typealias Source = nonisolated(nonsending) @Sendable () async -> [UInt8]?

  package let next: Source
  /// Whether the end of the body has a meaning, as for an export. A server that shuts down waits for such an end, and
  /// if it does not come in time, the reader sees a truncated body. A feed may be ended cleanly at any point. It is
  /// also ended when its reader closes its sending side, which looks the same as a reader that has disconnected.
  package let endsByItself: Bool
  /// Whether the body has ended before it was complete; asked at its end. The reader then sees a truncated body.
  package let isCut: @Sendable () -> Bool

  /// Creates a stream; by default a feed that is never cut.
  package init(
    endsByItself: Bool = false, isCut: @escaping @Sendable () -> Bool = { false }, _ next: @escaping Source
  ) {
    self.endsByItself = endsByItself
    self.isCut = isCut
    self.next = next
  }
}

extension HTTPStream: Hashable {
  package static func == (one: HTTPStream, other: HTTPStream) -> Bool { one === other }

  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
