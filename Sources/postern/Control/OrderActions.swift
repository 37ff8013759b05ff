import GatewayControl
import GatewayCore
import GatewayKit

// What `postern ctl` has done to sessions and tokens.

extension ControlAction {
  static let expire = order(
    NoMembers(), "expire",
    "let tokens expire now: each session is asked for another, and the refresh timeout runs from now",
    example: "expire --user ann")

  static let refresh = order(
    NoMembers(), "refresh", "ask sessions for another token; the present one stays good", example: "refresh --all")

  static let disconnect = order(
    DisconnectOrder(), "disconnect", "close connections",
    example: "disconnect --session conn_0_1 --code 4005 --reason 'try another door'",
    options: [
      Option(
        "code", "N", "the close code, one that may be sent: 1000-1003, 1007-1014, 3000-4999 (default 4005)", \.code,
        Reading<Int>.int(1000...4999).map { code, _ in UInt16(code) }),
      Option("reason", "TEXT", "the close reason, 123 bytes at most (default disconnected)", \.reason, .text),
    ])

  static let revoke = ControlAction(
    "revoke", "revoke one token, a user's, or all that were issued before a time",
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
      "token-fingerprint", "HEX", "the token that a session shows by this fingerprint", \.tokenFingerprint, .text)
    Option(
      "expires-at", "UNIX_S", "when that token expires: from then on the gateway may forget it", \.expiresAt,
      .number(0...1e12))
    Option("user", "ID", "this user's tokens, issued until now or before --issued-before", \.userID, .text)
    Option(
      "issued-before", "UNIX_S", "tokens issued before this time: of --user, or of everybody", \.issuedBefore,
      .number(0...1e12))
  }

  static let signal = ControlAction(
    "signal", "do what follows from a logout or a security event, as if your login had sent it", operand: "SIGNAL",
    example: "signal logout --user ann", options: signalling, from: SignalOrder(signal: ""),
    telling: .reach(user: nil)
  ) { order, call in
    guard order.userID != nil || order.sessionID != nil else {
      throw UsageError("ctl signal needs --user or --login-session")
    }
    var order = order
    order.signal = call.operand
    return try .post("/signals", order)
  }

  @OptionList<SignalOrder>
  private static var signalling: [Option<SignalOrder>] {
    Option("user", "ID", "the user whom the signal is about", \.userID, .text)
    Option("login-session", "SID", "the session at your login, as sid in its tokens has it", \.sessionID, .text)
    Option(
      "issued-before", "UNIX_S", "tokens issued at this time or later stay good (default: now)", \.issuedBefore,
      .number(0...1e12))
  }

  /// An order to one session, to a user's, or to all. To somebody who is not there it is a mistake, most often in the name.
  private static func order<Order: ControlOrder>(
    _ order: Order, _ word: String, _ summary: String, example: String, options: [Option<Order>] = []
  ) -> ControlAction {
    ControlAction(
      word, summary, example: example, options: AimedOrder.options(options), from: AimedOrder(order),
      tellingBy: { .reach(user: $0.user) }
    ) { aimed, _ in try .post(try aimed.path(to: word), aimed.order) }
  }
}
