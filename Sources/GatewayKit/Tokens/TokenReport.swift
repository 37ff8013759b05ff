package import GatewayCore
package import GatewayJSON
internal import GatewayTokens

/// The answer of `postern token verify`: whether the token is good, and what it says, its user and its end for
/// instance, or which check failed. Told once, as lines for people and as one JSON object.
package struct TokenReport: Sendable {
  /// One thing that is said of a token, as a line for people and as a member: the label "user" with `ann`, for
  /// instance.
  package struct Row: Sendable {
    /// What stands before it in its line; nil if people are not told.
    package let label: String?
    /// The member of the object; nil if it has none.
    package let name: String?
    package let value: Value

    package init(_ label: String? = nil, _ name: String? = nil, _ value: Value) {
      self.label = label
      self.name = name
      self.value = value
    }
  }

  /// A value of a row: a time, for instance, which people read as a date and programs as a number.
  package indirect enum Value: Sendable {
    case text(String)
    case number(Int64)
    case yes
    /// Nil is `null`, and the words, or no line where there are none. Before either may stand a word.
    case time(WallTime?, before: String = "", otherwise: String? = nil)
    /// A time that no clock reaches: the number as it was written, for programs, and the words for people.
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
  /// How wide the labels are.
  package var labelWidth = 7

  /// The claims that members of reports are made of.
  private static let claims: [(member: String, claim: String)] = [
    ("expires_at", "exp"), ("issued_at", "iat"), ("session_expires_at", "session_exp"),
  ]

  /// The same with what is odd about the dates of the token's claims. A time at the end of all clocks is told as its claim
  /// was written.
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
