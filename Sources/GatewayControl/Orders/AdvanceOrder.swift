/// The order that advances a space's time, `POST /spaces/t17/clock/advance`.
package struct AdvanceOrder: ControlOrder {
  package static let form =
    #"{"by_s": 0...315576000, "patience_ms"?: 0...60000, "wall"?: "moves" or "stays", "stop_at"?: "refresh_required"}"#

  package var byS: Double
  /// The real time that clients have for their answers; nil for a second.
  package var patienceMs: Int?
  package var wall: String?
  package var stopAt: String?

  package enum CodingKeys: String, CodingKey, CaseIterable {
    case wall
    case byS = "by_s"
    case patienceMs = "patience_ms"
    case stopAt = "stop_at"
  }

  package init(byS: Double, patienceMs: Int? = nil, wall: String? = nil, stopAt: String? = nil) {
    self.byS = byS
    self.patienceMs = patienceMs
    self.wall = wall
    self.stopAt = stopAt
  }
}
