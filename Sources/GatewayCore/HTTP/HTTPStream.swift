/// The body of an answer that goes on, a feed of events for instance, in pieces that are asked for one at a time.
///
/// Whoever serves it asks for the next piece when little of those before waits for the reader any more, and never for two
/// at once: what a slow reader misses is the source's to say. When the reader has gone the task that asks is cancelled, and
/// a source that waits must be woken by that (`withTaskCancellationHandler`). The stream is let go of when it is over, and
/// where nobody wants the body without having been asked: what is to be undone then is undone when what `next` holds goes.
package final class HTTPStream: Sendable {
  /// Gives the next piece, and nil at the end. Runs on the loop that reads the request.
  package typealias Source = nonisolated(nonsending) @Sendable () async -> [UInt8]?

  package let next: Source
  /// Whether its end says something, as that of an export does: a server that ends waits for it, and where it does not
  /// come in time the reader sees that the body is cut short. A feed is ended in good order anywhere, also when its reader
  /// says that nothing more comes from there, which is how one looks that has gone.
  package let endsByItself: Bool

  /// A feed, unless it says otherwise.
  package init(endsByItself: Bool = false, _ next: @escaping Source) {
    self.endsByItself = endsByItself
    self.next = next
  }
}

extension HTTPStream: Hashable {
  package static func == (one: HTTPStream, other: HTTPStream) -> Bool { one === other }

  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
