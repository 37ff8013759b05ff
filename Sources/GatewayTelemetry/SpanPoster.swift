package import GatewayCore

/// The way of spans to a collector.
package protocol SpanPoster: Sendable {
  /// Posts a body of JSON to the collector's `/v1/traces`. Only from a task on the first loop.
  nonisolated(nonsending) func post(_ body: [UInt8]) async -> PostedSpans
}

/// The outcome of a posted body.
package enum PostedSpans: Sendable {
  case answered(HTTPResponse)
  /// Nobody has taken it, for the reason in the text.
  case undelivered(String)
  /// The collector may have taken it, and has given no answer in time.
  case unanswered(String)
}
