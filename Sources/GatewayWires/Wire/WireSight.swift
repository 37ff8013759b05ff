package import GatewayCore

/// A line about one client's conversation: that rule `/hear/2` took a message as `logged_in`, for instance. Tokens and
/// secrets stand in it as `<token>` and `<secret>`.
package enum WireSight: Hashable, Sendable {
  /// Path and query of an upgrade.
  case dialled(String)
  /// The request before the dial: method and path.
  case askedAhead(String)
  /// Its answer, and what it lacks.
  case answeredAhead(status: Int, lacking: String?)
  case said(message: String, String)
  /// A message that could not be said, and why.
  case unsaid(message: String, HoleError)
  /// A message that a rule took.
  case heard(String, rule: String, verdict: String)
  /// A message that none took.
  case unmatched(String, ClientPhase)
  /// The gateway's end of the connection: the code of the close frame, nil for none, and its text.
  case ended(UInt16?, String)
}
