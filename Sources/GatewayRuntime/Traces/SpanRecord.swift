package import GatewayCore

/// One operation of a trace, from its beginning to its end.
package struct SpanRecord: Sendable {
  /// Which side of a request it is, with the number that OTLP gives it.
  package enum Kind: Int64, Sendable {
    case own = 1
    case server = 2
    case client = 3
  }

  /// Another operation that it belongs to, in another trace.
  package struct Link: Hashable, Sendable {
    package let trace: TraceID
    package let span: UInt64

    package init(_ trace: TraceID, _ span: UInt64) { (self.trace, self.span) = (trace, span) }
  }

  package let trace: TraceID
  /// Its number; not 0.
  package let span: UInt64
  /// The number of the operation that it is part of; 0 for none.
  package let parent: UInt64
  /// Whether that operation is another process's.
  package let hasRemoteParent: Bool
  package let isSampled: Bool
  /// The vendors' own members of the trace, as in `tracestate`; empty for none.
  package let state: String
  package let name: String
  package let kind: Kind
  package let start: WallTime
  package var end: WallTime
  package var link: Link?
  /// The method of the HTTP request.
  package var method: String?
  /// The status of the HTTP answer.
  package var status: Int?
  /// The host that was asked.
  package var server: String?
  package var dialect: String?
  /// What failed, as one word; nil for nothing.
  package var error: String?
  /// The number of the gateway's own error.
  package var errorNumber: Int?
  /// The user; nil unless users are named.
  package var user: String?

  init(
    _ name: String, _ kind: Kind, in context: TraceContext, numbered span: UInt64, below parent: UInt64,
    isRemote: Bool = false, at start: WallTime
  ) {
    (self.name, self.kind, self.span, self.parent) = (name, kind, span, parent)
    (trace, isSampled, state) = (context.trace, context.isSampled, context.state)
    hasRemoteParent = isRemote
    (self.start, end) = (start, start)
  }

  /// Notes a failure.
  mutating func fail(_ failure: GatewayError) {
    (error, errorNumber) = (failure.name, failure.number)
  }
}
