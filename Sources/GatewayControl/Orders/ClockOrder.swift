/// The order that sets a space's time of day, `POST /spaces/t17/clock`.
package struct ClockOrder: ControlOrder {
  package static let form = #"{"wall": "2000-01-01T00:00:00Z"}"#

  /// A date by RFC 3339.
  package var wall: String

  package enum CodingKeys: String, CodingKey, CaseIterable {
    case wall
  }

  package init(wall: String) {
    self.wall = wall
  }
}
