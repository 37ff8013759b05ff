/// A connection that a loop holds, of a client that speaks HTTP for instance, until the one or the other ends. Those of
/// libwebsockets are not among them: it holds an ``Endpoint``.
class LoopConnection {
  // Its neighbours in the list that it is in.
  final var next: LoopConnection?
  final unowned(unsafe) var previous: LoopConnection?

  /// The vhost that serves it; nil if it dials.
  var server: VirtualHost? { nil }

  /// Closes without a word and leaves its list; whoever waits for it is told. The loop calls it at its own end.
  func end() {
    preconditionFailure("a kind of connection says how it ends")
  }
}
