package import GatewayCore
package import GatewayJSON
internal import GatewayTokens

/// The result of `postern token verify`: whether the token is valid, and its content, or which check failed. It is
/// printed as lines of text or as one JSON object.
package struct TokenReport: Sendable {
  /// One statement about a token, as a line of text and as a JSON member.
  package struct Row: Sendable {
    /// The label of its line; nil if the text has no such line.
    package let label: String?
    /// The name of its JSON member; nil if there is none.
    package let name: String?
    package let value: Value

    package init(_ label: String? = nil, _ name: String? = nil, _ value: Value) {
      self.label = label
      self.name = name
      self.value = value
    }
  }

  /// A value of a row. A time is a date in text and a number in JSON.
  package indirect enum Value: Sendable {
    case text(String)
    case number(Int64)
    case yes
    /// A time. Nil is `null` in JSON; in text it is `otherwise`, or no line if that is nil too. `before` precedes a
    /// time and `otherwise`.
    case time(WallTime?, before: String = "", otherwise: String? = nil)
    /// A time that no clock reaches: the number as it was written, for JSON, and words for text.
    case beyond(number: String, words: String)
    case list([String])
    case object([Row])
  }

  package let isValid: Bool
  /// The scheme's name; nil for the gateway's own.
  package let scheme: String?
  /// The first line.
  package let headline: String
  package let rows: [Row]
  /// The width of the labels.
  package var labelWidth = 7

  /// The claims from which members of reports are made.
  private static let claims: [(member: String, claim: String)] = [
    ("expires_at", "exp"), ("issued_at", "iat"), ("session_expires_at", "session_exp"),
  ]

  /// Returns the report with notes on odd dates in the token's claims. A time at the end of all clocks is shown as its
  /// claim was written.
  package func saying(doubts: [String], about payload: JSONView) -> TokenReport {
    guard !doubts.isEmpty else { return self }
    var rows = rows.map { row in
      guard case .time(let time?, _, _) = row.value, time == WallTime(nanoseconds: .max),
        let claim = Self.claims.first(where: { $0.member == row.name })?.claim, let date = payload[member: claim],
        let words = NumericDate.doubt(date)
      else { return row }
      return Row(row.label, row.name, .beyond(number: date.text, words: words))
    }
    for doubt in doubts { rows.append(Row("caveat", nil, .text(doubt))) }
    rows.append(Row(nil, "caveats", .list(doubts)))
    return TokenReport(isValid: isValid, scheme: scheme, headline: headline, rows: rows, labelWidth: labelWidth)
  }

  package static func valid(_ scheme: String?, _ headline: String, _ rows: [Row], labelWidth: Int = 7) -> TokenReport {
    TokenReport(isValid: true, scheme: scheme, headline: headline, rows: rows, labelWidth: labelWidth)
  }

  package static func refused(_ scheme: String?, _ headline: String, _ rows: [Row]) -> TokenReport {
    TokenReport(isValid: false, scheme: scheme, headline: headline, rows: rows)
  }
}
