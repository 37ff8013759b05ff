import Foundation

/// The control API from a shell.
enum ControlCommand: Command {
  static let name = "ctl"
  static let summary = "the control API of a running gateway from a shell"
  static let operands =
    "health|ready|metrics|sessions|session ID|expire|refresh|disconnect|revoke|drain|"
    + StreemControl.actions.joined(separator: "|")
  static let example = "postern ctl expire --user ann --url http://127.0.0.1:8081"

  static let sections = [FlagSection("flags", ownFlags), FlagSection("Streem", StreemControl.flags)]

  private static let ownFlags =
    [
      Flag("url", "URL", "the control port (default http://127.0.0.1:8081)"),
      Flag("control-secret-file", "FILE", "the bearer secret of a control port that is not on loopback"),
      Flag("user", "ID", "expire, refresh, disconnect, revoke, sessions: this user's"),
      Flag("session", "ID", "expire, refresh, disconnect: this session"),
      Flag("all", nil, "expire, refresh, disconnect: every session"),
      Flag("code", "N", "disconnect: the close code (default 4005)"),
      Flag("reason", "TEXT", "disconnect: the close reason, 123 bytes at most"),
      Flag("token-fingerprint", "HEX", "revoke: the token that a session shows by this fingerprint"),
      Flag("issued-before", "UNIX_S", "revoke: tokens issued before this time, of --user or of everybody"),
      Flag("window", "DURATION", "drain: the window that the closes are spread over"),
      Flag("limit", "N", "sessions: how many at most (default 100)"),
      Flag("after", "ID", "sessions: those after this one"),
      Flag("json", nil, "print what the gateway answers, as JSON"),
    ]

  static func run(_ arguments: Arguments) async throws -> Int32 {
    guard let action = arguments.operands.first else { throw UsageError("ctl needs an action: \(operands)") }
    let operands = Array(arguments.operands.dropFirst())
    guard operands.count == (action == "session" ? 1 : 0) else {
      throw UsageError(
        action == "session" ? "ctl session needs the ID of one session" : "ctl \(action) takes flags only")
    }
    let request = try request(action, operands.first, arguments)
    let client = try ControlClient(
      url: arguments.string("url") ?? "http://127.0.0.1:8081",
      secret: arguments.secret("control-secret-file"))
    let answer = try await client.send(request)
    if answer.status >= 400 {
      Output.error(ControlText.error(answer))
      return 1
    }
    Output.line(try arguments.isOn("json") ? answer.text : ControlText.render(action, answer))
    return 0
  }

  private static func request(_ action: String, _ id: String?, _ arguments: Arguments) throws -> ControlRequest {
    switch action {
    case "health", "ready", "metrics":
      return ControlRequest("GET", "/\(action)")
    case "sessions":
      var query: [URLQueryItem] = []
      if let user = arguments.string("user") { query.append(URLQueryItem(name: "user", value: user)) }
      if let limit = try arguments.int("limit", in: 1...1000) {
        query.append(URLQueryItem(name: "limit", value: String(limit)))
      }
      if let after = arguments.string("after") { query.append(URLQueryItem(name: "after", value: after)) }
      return ControlRequest("GET", "/sessions", query: query)
    case "session":
      return ControlRequest("GET", "/sessions/\(escaped(id!))")
    case "expire", "refresh":
      return ControlRequest("POST", try target(action, arguments))
    case "disconnect":
      var body: [String: any Sendable] = [:]
      if let code = try arguments.int("code", in: 1000...4999) { body["code"] = code }
      if let reason = arguments.string("reason") { body["reason"] = reason }
      return ControlRequest("POST", try target(action, arguments), body: body)
    case "revoke":
      var body: [String: any Sendable] = [:]
      if let fingerprint = arguments.string("token-fingerprint") { body["token_fingerprint"] = fingerprint }
      if let user = arguments.string("user") { body["user_id"] = user }
      if let before = try arguments.number("issued-before", in: 0...1e12) { body["issued_before"] = before }
      guard !body.isEmpty else { throw UsageError("ctl revoke needs --token-fingerprint, --user or --issued-before") }
      return ControlRequest("POST", "/revocations", body: body)
    case "drain":
      let window = try arguments.duration("window")
      return ControlRequest(
        "POST", "/drain", body: window.map { ["window_s": Double($0.components.seconds)] } ?? [:])
    case _ where StreemControl.actions.contains(action):
      return try StreemControl.request(action, arguments)
    default:
      throw UsageError("ctl: '\(action)' is no action; there are \(operands)")
    }
  }

  private static func target(_ action: String, _ arguments: Arguments) throws -> String {
    switch (arguments.string("session"), arguments.string("user"), try arguments.isOn("all")) {
    case (let session?, nil, false): "/sessions/\(escaped(session))/\(action)"
    case (nil, let user?, false): "/users/\(escaped(user))/\(action)"
    case (nil, nil, true): "/sessions/\(action)"
    default: throw UsageError("ctl \(action) needs one of --session ID, --user ID or --all")
    }
  }

  static func escaped(_ segment: String) -> String {
    segment.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(CharacterSet(charactersIn: "-._~"))) ?? ""
  }
}
