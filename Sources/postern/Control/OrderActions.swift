import GatewayControl
import GatewayCore
import GatewayKit

// What `postern ctl` has done to sessions and tokens.

extension ControlAction {
  static let expire = order(
    NoMembers.self, "expire",
    "let tokens expire now: each session is asked for another, and the refresh timeout runs from now",
    example: "expire --user ann"
  ) { _ in NoMembers() }

  static let refresh = order(
    NoMembers.self, "refresh", "ask sessions for another token; the present one stays good", example: "refresh --all"
  ) { _ in NoMembers() }

  static let disconnect = order(
    DisconnectOrder.self, "disconnect", "close connections",
    example: "disconnect --session conn_0_1 --code 4005 --reason 'try another door'",
    flags: [
      Flag("code", "N", "the close code, one that may be sent: 1000-1003, 1007-1014, 3000-4999 (default 4005)"),
      Flag("reason", "TEXT", "the close reason, 123 bytes at most (default disconnected)"),
    ]
  ) { arguments in
    DisconnectOrder(
      code: try arguments.int("code", in: 1000...4999).map { UInt16($0) }, reason: arguments.string("reason"))
  }

  static let revoke = ControlAction(
    "revoke", "revoke one token, a user's, or all that were issued before a time",
    example: "revoke --user ann --issued-before 1767225600",
    flags: [
      Flag("token-fingerprint", "HEX", "the token that a session shows by this fingerprint"),
      Flag("expires-at", "UNIX_S", "when that token expires: from then on the gateway may forget it"),
      Flag("user", "ID", "this user's tokens, issued until now or before --issued-before"),
      Flag("issued-before", "UNIX_S", "tokens issued before this time: of --user, or of everybody"),
    ], telling: .reach(mustBe: false)
  ) { arguments, _ in
    let order = RevocationOrder(
      tokenFingerprint: arguments.string("token-fingerprint"), userID: arguments.string("user"),
      issuedBefore: try arguments.number("issued-before", in: 0...1e12),
      expiresAt: try arguments.number("expires-at", in: 0...1e12))
    guard order.tokenFingerprint != nil || order.userID != nil || order.issuedBefore != nil || order.expiresAt != nil
    else { throw UsageError("ctl revoke needs --token-fingerprint, --user or --issued-before") }
    return try .post("/revocations", order)
  }

  /// An order to one session, to a user's, or to all. To somebody who is not there it is a mistake, most often in the name.
  private static func order<Order: ControlOrder>(
    _ type: Order.Type, _ word: String, _ summary: String, example: String, flags: [Flag] = [],
    order: @escaping @Sendable (Arguments) throws -> Order
  ) -> ControlAction {
    let whom = [
      Flag("user", "ID", "this user's sessions"), Flag("session", "ID", "this session"),
      Flag("all", nil, "every session"),
    ]
    return ControlAction(
      word, summary, example: example, flags: whom + flags, telling: .reach(mustBe: true)
    ) { arguments, _ in
      let path =
        switch (arguments.string("session"), arguments.string("user"), try arguments.isOn("all")) {
        case (let session?, nil, false): "/sessions/\(PercentEncoding.encode(session))/\(word)"
        case (nil, let user?, false): "/users/\(PercentEncoding.encode(user))/\(word)"
        case (nil, nil, true): "/sessions/\(word)"
        default: throw UsageError("ctl \(word) needs one of --session ID, --user ID or --all")
        }
      return try .post(path, try order(arguments))
    }
  }
}
