/// The order to drain and end the gateway, `POST /drain`.
package struct DrainOrder: ControlOrder {
  package static let form = #"{"window_s"?: 0...86400}"#

  /// The window of the closes in seconds; nil for the configured one.
  package var windowS: Double?

  package enum CodingKeys: String, CodingKey, CaseIterable {
    case windowS = "window_s"
  }

  package init(windowS: Double? = nil) {
    self.windowS = windowS
  }
}
