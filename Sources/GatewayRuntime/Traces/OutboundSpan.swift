package import GatewayCore

/// A question to another server, from its beginning to its answer.
package struct OutboundSpan: Sendable {
  private let record: SpanRecord
  /// The operation that it is part of, if that is of the same loop.
  private let operation: TraceOperation?
  private let traces: LoopTraces
  private let begun: Instant

  init(_ name: String, _ method: String, _ server: String, in scope: TraceScope?, of traces: LoopTraces) {
    self.traces = traces
    begun = traces.loop.now
    operation = scope.flatMap { $0.operation.traces === traces ? $0.operation : nil }
    var record: SpanRecord
    if let operation {
      record = operation.child(name, .client)
    } else if let context = scope?.context {
      record = SpanRecord(
        name, .client, in: context, numbered: traces.newSpan(), below: context.parent, at: traces.loop.rightWallTime)
    } else {
      record = traces.newRootSpan(name, .client)
    }
    (record.method, record.server) = (method, server)
    self.record = record
  }

  /// The place of the other server's operation.
  package var context: TraceContext {
    TraceContext(record.trace, below: record.span, isSampled: record.isSampled, state: record.state)
  }

  /// Ends it. Only on the loop on which it began.
  ///
  /// - Parameters:
  ///   - status: The status of the answer; nil without one.
  ///   - error: What failed, as one word; nil for nothing.
  package func end(status: Int?, error: String?) {
    var record = record
    (record.status, record.error) = (status, error)
    record.end = operation?.wallTime ?? record.start + (traces.loop.now - begun)
    if let operation {
      operation.add(record)
    } else if record.isSampled || error != nil && traces.takesFailure() {
      traces.write(record)
    }
  }
}
