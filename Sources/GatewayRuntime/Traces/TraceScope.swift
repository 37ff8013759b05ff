package import GatewayCore

/// The operation that a task is part of. Requests that the task sends belong to it.
package struct TraceScope: Sendable {
  package let context: TraceContext
  let operation: TraceOperation

  /// The gateway's own check of the token is done, and others are asked.
  package func endVerification() { operation.endVerification(nil) }

  /// There is no check of the gateway's own.
  package func dropVerification() { operation.dropVerification() }

  /// Nil outside of traced operations, and without traces.
  @TaskLocal package static var current: TraceScope?
}
