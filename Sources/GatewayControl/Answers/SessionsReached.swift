internal import GatewayCore
internal import GatewayRuntime

/// The number of sessions that an order reached, its answer.
package struct SessionsReached: Codable, Sendable {
  package let sessions: Int
  /// The nodes that did not answer in time, and perhaps were not reached; absent if there are none.
  package let nodesMissing: [String]?

  package enum CodingKeys: String, CodingKey {
    case sessions
    case nodesMissing = "nodes_missing"
  }

  init(_ reached: Reached) {
    sessions = reached.sessions
    nodesMissing = reached.missing.isEmpty ? nil : reached.missing
  }
}

extension Reached {
  /// The fields of the log line of an order.
  var fields: [LogEvent.Field] {
    [.init("sessions", String(sessions))]
      + (missing.isEmpty ? [] : [.init("nodes_missing", missing.joined(separator: ","))])
  }
}
