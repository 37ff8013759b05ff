import GatewayKit

// What `postern ctl` has done to sessions and tokens.

/// An order to one session, to a user's, or to all.
protocol OrderAction: ControlAction {
  static var furtherFlags: [Flag] { get }
  static func body(_ arguments: Arguments) throws -> [String: any Sendable]
}

extension OrderAction {
  static var furtherFlags: [Flag] { [] }
  static func body(_ arguments: Arguments) throws -> [String: any Sendable] { [:] }

  static var ownFlags: [Flag] {
    [
      Flag("user", "ID", "this user's sessions"), Flag("session", "ID", "this session"),
      Flag("all", nil, "every session"),
    ] + furtherFlags
  }

  static func request(_ arguments: Arguments, _ operand: String?) throws -> ControlRequest {
    let path =
      switch (arguments.string("session"), arguments.string("user"), try arguments.isOn("all")) {
      case (let session?, nil, false): "/sessions/\(ControlCommand.escaped(session))/\(word)"
      case (nil, let user?, false): "/users/\(ControlCommand.escaped(user))/\(word)"
      case (nil, nil, true): "/sessions/\(word)"
      default: throw UsageError("\(name) needs one of --session ID, --user ID or --all")
      }
    return ControlRequest("POST", path, body: try body(arguments))
  }

  static func text(_ answer: ControlClient.Answer) -> String { ControlText.reached(answer) }

  /// An order to somebody who is not there is a mistake, most often in the name.
  static func failure(_ answer: ControlClient.Answer, _ arguments: Arguments) throws -> String? {
    guard let user = arguments.string("user"), ControlText.sessionsReached(answer) == 0 else { return nil }
    return "the user '\(user)' has no session"
  }
}

enum ExpireAction: OrderAction {
  static let name = "ctl expire"
  static let summary =
    "let tokens expire now: each session is asked for another, and the refresh time-out runs from now"
  static let example = "postern ctl expire --user ann"
}

enum RefreshAction: OrderAction {
  static let name = "ctl refresh"
  static let summary = "ask sessions for another token; the present one stays good"
  static let example = "postern ctl refresh --all"
}

enum DisconnectAction: OrderAction {
  static let name = "ctl disconnect"
  static let summary = "close connections"
  static let example = "postern ctl disconnect --session conn_0_1 --code 4005 --reason 'try another door'"
  static let furtherFlags = [
    Flag("code", "N", "the close code, one that may be sent: 1000-1003, 1007-1014, 3000-4999 (default 4005)"),
    Flag("reason", "TEXT", "the close reason, 123 bytes at most (default disconnected)"),
  ]

  static func body(_ arguments: Arguments) throws -> [String: any Sendable] {
    var body: [String: any Sendable] = [:]
    if let code = try arguments.int("code", in: 1000...4999) { body["code"] = code }
    if let reason = arguments.string("reason") { body["reason"] = reason }
    return body
  }
}

enum RevokeAction: ControlAction {
  static let name = "ctl revoke"
  static let summary = "revoke one token, a user's, or all that were issued before a time"
  static let example = "postern ctl revoke --user ann --issued-before 1767225600"
  static let ownFlags = [
    Flag("token-fingerprint", "HEX", "the token that a session shows by this fingerprint"),
    Flag("expires-at", "UNIX_S", "when that token expires: from then on the gateway may forget it"),
    Flag("user", "ID", "this user's tokens, issued until now or before --issued-before"),
    Flag("issued-before", "UNIX_S", "tokens issued before this time: of --user, or of everybody"),
  ]

  static func request(_ arguments: Arguments, _ operand: String?) throws -> ControlRequest {
    var body: [String: any Sendable] = [:]
    if let fingerprint = arguments.string("token-fingerprint") { body["token_fingerprint"] = fingerprint }
    if let user = arguments.string("user") { body["user_id"] = user }
    if let before = try arguments.number("issued-before", in: 0...1e12) { body["issued_before"] = before }
    if let expiry = try arguments.number("expires-at", in: 0...1e12) { body["expires_at"] = expiry }
    guard !body.isEmpty else { throw UsageError("ctl revoke needs --token-fingerprint, --user or --issued-before") }
    return ControlRequest("POST", "/revocations", body: body)
  }

  static func text(_ answer: ControlClient.Answer) -> String { ControlText.reached(answer) }
}
