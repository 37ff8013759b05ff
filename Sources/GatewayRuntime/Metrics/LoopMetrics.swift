/// One loop's share of the metrics, counted without a lock and merged when they are read.
///
/// Labels are bounded: names come from the catalogues of errors and reasons, from the routes and from the dialects, never
/// from a peer.
package struct LoopMetrics: Hashable, Sendable {
  /// One for each binding of the gateway, in the same order.
  package var dialects: [DialectMetrics]
  /// The requests that were answered.
  package private(set) var httpRequests: [HTTPAnswer: UInt64] = [:]
  package private(set) var httpDuration = Histogram()
  /// How long the loop's turns were; set when the figures are read.
  package var turns = Histogram()
  /// Tokens expired by an operator whose early expiry could not be stored.
  package var expiriesForgotten: UInt64 = 0

  /// The labels of an HTTP answer: method, route and status.
  package struct HTTPAnswer: Hashable, Sendable {
    package var dialect: String
    /// The method and pattern of the route, or `other`.
    package var route: String
    package var status: Int

    package init(dialect: String, route: String, status: Int) {
      self.dialect = dialect
      self.route = route
      self.status = status
    }
  }

  /// - Parameter dialects: The names of the dialects of the gateway's bindings.
  package init(dialects: [String]) {
    self.dialects = dialects.map { DialectMetrics(dialect: $0) }
  }

  /// The figures of all dialects together.
  package var total: DialectMetrics {
    dialects.reduce(into: DialectMetrics(dialect: "")) { $0.merge($1) }
  }

  /// The figures by dialect; two bindings may be of one dialect, on different sockets.
  package var byDialect: [DialectMetrics] {
    dialects.reduce(into: []) { merged, next in
      if let known = merged.firstIndex(where: { $0.dialect == next.dialect }) {
        merged[known].merge(next)
      } else {
        merged.append(next)
      }
    }
  }

  package mutating func record(_ answer: HTTPAnswer, after duration: Duration) {
    httpRequests[answer, default: 0] += 1
    httpDuration.record(duration)
  }

  package mutating func merge(_ other: LoopMetrics) {
    for index in dialects.indices where index < other.dialects.count { dialects[index].merge(other.dialects[index]) }
    httpRequests.merge(other.httpRequests, uniquingKeysWith: +)
    httpDuration.merge(other.httpDuration)
    turns.merge(other.turns)
    expiriesForgotten += other.expiriesForgotten
  }
}
