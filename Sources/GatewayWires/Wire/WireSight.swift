package import GatewayCore

/// A line about one client's conversation, with `<token>` and `<secret>` instead of these.
package enum WireSight: Hashable, Sendable {
  /// Path and query of an upgrade.
  case dialled(String)
  /// The request before the connect, or one that renews: method and path.
  case askedAhead(String)
  /// Its answer, and what it lacks.
  case answeredAhead(status: Int, lacking: String?)
  case said(message: String, String)
  /// A message that could not be sent, and why.
  case unsaid(message: String, HoleError)
  /// A message that a rule took.
  case heard(String, rule: String, verdict: String)
  /// A message that no rule took.
  case unmatched(String, ClientPhase)
  /// The close by the gateway: the code of the close frame, nil for none, and its text.
  case ended(UInt16?, String)
}
