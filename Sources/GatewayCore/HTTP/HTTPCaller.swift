/// The caller that waits for the answer to a request. A slow handler, e.g. a token provider with a queue, checks it
/// before it does useless work.
package protocol HTTPCaller: Sendable {
  /// Whether the caller has disconnected or no longer waits; false while this is unknown. May be read from any thread.
  var hasGone: Bool { get }
}

/// The request that the current task answers.
package enum HTTPCall {
  /// The caller of the request. Nil outside of requests, and if the transport cannot observe its caller.
  @TaskLocal package static var caller: (any HTTPCaller)?
}
