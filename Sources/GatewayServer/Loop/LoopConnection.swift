/// A connection that a loop owns until either ends, e.g. of an HTTP client. libwebsockets' connections are not among them; they
/// have an ``Endpoint``.
class LoopConnection {
  // Its neighbours in the list that it is in.
  final var next: LoopConnection?
  final unowned(unsafe) var previous: LoopConnection?

  /// The vhost that serves it; nil if it dials.
  var server: VirtualHost? { nil }

  /// Closes without notice and leaves its list; code that waits for it is resumed. The loop calls it when the loop ends.
  func end() {
    preconditionFailure("a kind of connection says how it ends")
  }
}
