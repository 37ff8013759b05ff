import GatewayControl
import GatewayCore
import GatewayKit

// The orders of `postern ctl` about sessions and tokens.

extension ControlAction {
  static let expire = order(
    NoMembers(), "expire",
    "expire tokens now: each session is asked for another token, and the refresh timeout starts",
    example: "expire --user ann")

  static let refresh = order(
    NoMembers(), "refresh", "ask sessions for another token; the present one stays valid", example: "refresh --all")

  static let disconnect = order(
    DisconnectOrder(), "disconnect", "close connections",
    example: "disconnect --session conn_0_1 --code 4005 --reason 'try another door'",
    options: [
      Option(
        "code", "N", "the close code: 1000-1003, 1007-1014 or 3000-4999 (default 4005)", \.code,
        Reading<Int>.int(1000...4999).map { code, _ in UInt16(code) }),
      Option("reason", "TEXT", "the close reason, at most 123 bytes (default disconnected)", \.reason, .text),
    ])

  static let revoke = ControlAction(
    "revoke", "revoke one token, a user's tokens, or all tokens issued before a time",
    example: "revoke --user ann --issued-before 1767225600", options: revocation, from: RevocationOrder(),
    telling: .reach(user: nil)
  ) { order, _ in
    guard order.tokenFingerprint != nil || order.userID != nil || order.issuedBefore != nil || order.expiresAt != nil
    else { throw UsageError("ctl revoke needs --token-fingerprint, --user or --issued-before") }
    return try .post("/revocations", order)
  }

  @OptionList<RevocationOrder>
  private static var revocation: [Option<RevocationOrder>] {
    Option(
      "token-fingerprint", "HEX", "the fingerprint of the token to revoke, as postern ctl session prints it",
      \.tokenFingerprint, .text)
    Option(
      "expires-at", "UNIX_S",
      "when the token of --token-fingerprint expires, in Unix seconds; the gateway may forget the revocation then",
      \.expiresAt,
      .number(0...1e12))
    Option(
      "user", "ID", "revoke this user's tokens that were issued until now, or before --issued-before", \.userID, .text)
    Option(
      "issued-before", "UNIX_S", "revoke tokens issued before this time, in Unix seconds: those of --user, or all",
      \.issuedBefore,
      .number(0...1e12))
  }

  static let signal = ControlAction(
    "signal", "apply a logout or a security event, as if your login had sent it", operand: "SIGNAL",
    example: "signal logout --user ann", options: signalling, from: SignalOrder(signal: ""),
    telling: .reach(user: nil)
  ) { order, call in
    guard order.userID != nil || order.loginSession != nil else {
      throw UsageError("ctl signal needs --user or --login-session")
    }
    var order = order
    order.signal = call.operand
    return try .post("/signals", order)
  }

  @OptionList<SignalOrder>
  private static var signalling: [Option<SignalOrder>] {
    Option("user", "ID", "the user that the signal is about", \.userID, .text)
    Option(
      "login-session", "SID", "the session that the signal is about, the sid in your login's tokens", \.loginSession,
      .text
    )
    Option(
      "login-issuer", "NAME", "the login of that session, by its name in serve --identity (default: the only one)",
      \.loginIssuer, .text)
    Option(
      "issued-before", "UNIX_S",
      "keep tokens valid that were issued at this time or later, in Unix seconds (default: now)", \.issuedBefore,
      .number(0...1e12))
  }

  /// An order to one session, to a user's, or to all. If there is no such session it is an error, most often a misspelt
  /// name.
  private static func order<Order: ControlOrder>(
    _ order: Order, _ word: String, _ summary: String, example: String, options: [Option<Order>] = []
  ) -> ControlAction {
    ControlAction(
      word, summary, example: example, options: AimedOrder.options(options), from: AimedOrder(order),
      tellingBy: { .reach(user: $0.user) }
    ) { aimed, _ in try .post(try aimed.path(to: word), aimed.order) }
  }
}
