/// The order that spreads a wave of expiring tokens in advance, `POST /horizon/spread`.
package struct SpreadWaveOrder: ControlOrder {
  package static let form =
    #"{"from": unix s, "before": unix s, "over_s"?: 0...86400, "user"?: string, "dialect"?: string}"#

  package var from: Double
  package var before: Double
  /// The time over which the requests for tokens are spread; nil for the gateway's choice.
  package var overS: Double?
  package var user: String?
  package var dialect: String?

  package enum CodingKeys: String, CodingKey, CaseIterable {
    case from
    case before
    case user
    case dialect
    case overS = "over_s"
  }

  package init(
    from: Double, before: Double, overS: Double? = nil, user: String? = nil, dialect: String? = nil
  ) {
    self.from = from
    self.before = before
    self.overS = overS
    self.user = user
    self.dialect = dialect
  }
}
