/// The order to drain and end the gateway, `POST /drain`.
package struct DrainOrder: ControlOrder {
  package static let form = #"{"window_s"?: 0...86400, "nodes"?: "all"}"#
  /// The value of ``nodes``.
  package static let everyNode = "all"

  /// The window of the closes in seconds; nil for the configured one.
  package var windowS: Double?
  /// `all` for every process that shares the store, one after the other; nil for the one that is asked.
  package var nodes: String?

  package enum CodingKeys: String, CodingKey, CaseIterable {
    case windowS = "window_s"
    case nodes
  }

  package init(windowS: Double? = nil, nodes: String? = nil) {
    (self.windowS, self.nodes) = (windowS, nodes)
  }
}
