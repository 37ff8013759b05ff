/// The caller who waits for the answer to a request: asked by what takes long, a token provider with a queue for
/// instance, before it does work for nobody.
package protocol HTTPCaller: Sendable {
  /// Whether it has ended its connection, or given up; false while nobody knows. From any thread.
  var hasGone: Bool { get }
}

/// The request that the task at hand answers: the token provider asks it whether the caller still waits, for instance.
package enum HTTPCall {
  /// Nil outside of requests, and where the transport cannot tell.
  @TaskLocal package static var caller: (any HTTPCaller)?
}
