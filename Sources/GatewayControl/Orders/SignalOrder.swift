internal import GatewayCore

/// The order to do what follows from a signal from outside, `POST /signals`.
package struct SignalOrder: ControlOrder {
  package static let form =
    #"{"signal": "logout"|"session-revoked"|"token-claims-change"|"credential-change", "#
    + #""user_id"?: string, "login_session"?: string, "login_issuer"?: string, "issued_before"?: unix s}"#

  package var signal: String
  /// The user that the signal is about.
  package var userID: String?
  /// The session at the application's login, as `sid` in its tokens has it.
  package var loginSession: String?
  /// The name of the login of that session, of `serve --identity`; nil for the only one.
  package var loginIssuer: String?
  /// The time before which the tokens were issued, in seconds since 1970; nil for now.
  package var issuedBefore: Double?

  package enum CodingKeys: String, CodingKey, CaseIterable {
    case signal
    case userID = "user_id"
    case loginSession = "login_session"
    case loginIssuer = "login_issuer"
    case issuedBefore = "issued_before"
  }

  package init(signal: String) {
    self.signal = signal
  }
}
