internal import GatewayCore
internal import GatewayKit

/// Sendbird's wire format, the server's side: each text message has a command of four letters and a JSON object. Every
/// socket is opened; the answer to its credentials is a `LOGI` command.
struct SendbirdDialect: Dialect {
  var name: String { SendbirdWire.name }

  let settings: SendbirdSettings

  init(_ settings: SendbirdSettings) {
    self.settings = settings
  }

  var refusesBeforeUpgrade: Bool { false }

  var socketPath: String? { "/" }

  /// Returns whether the path is `/`, with an application in the query or the host name.
  func accepts(_ upgrade: HTTPRequest) -> Bool {
    upgrade.path == "/" && Self.applicationID(of: upgrade) != nil
  }

  func owns(path: String) -> Bool {
    path.hasPrefix("/v3/")
  }

  private static let redaction = JSONRedaction(["key", "newkey", "ekey", "auth"])

  func redacted(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, isUnderstood: Bool) -> String? {
    guard let frame = SendbirdFrame(payload), !frame.isFollowed else { return nil }
    return Self.redaction.text(UnsafeRawBufferPointer(rebasing: payload[frame.body]), isUnderstood: isUnderstood)
      .map { frame.name + $0 }
  }

  func application(in request: HTTPRequest) -> String? {
    Self.applicationID(of: request) ?? Self.application(in: request.header("host"), behind: "api-")
  }

  func response(for error: GatewayError) -> HTTPResponse {
    SendbirdError(error).response
  }

  // MARK: Upgrade

  /// Returns the client's application: `ai`, or the first part of the host name.
  static func applicationID(of upgrade: HTTPRequest) -> String? {
    if let parameter = upgrade.parameter("ai") { return parameter }
    return application(in: upgrade.header("host"), behind: "ws-")
  }

  private static func application(in host: String?, behind prefix: String) -> String? {
    guard let host, host.lowercased().hasPrefix(prefix), host.contains(".") else { return nil }
    return String(host.utf8.dropFirst(prefix.utf8.count).prefix { $0 != UInt8(ascii: ".") })
  }

  /// Returns the subprotocol, which contains a browser client's credentials and must be returned as offered.
  func subprotocol(for upgrade: HTTPRequest) -> String? {
    upgrade.header("sec-websocket-protocol").flatMap { SendbirdSubprotocol($0) == nil ? nil : $0 }
  }

  /// Returns the credentials, which always exist: a client without any logs in by name alone.
  func credentials(in upgrade: HTTPRequest) -> Credentials? {
    let offered = upgrade.header("sec-websocket-protocol").flatMap { SendbirdSubprotocol($0) }
    let token =
      offered?.token ?? Self.unescaped(upgrade.header("sendbird-ws-token"))
      ?? SendbirdWire.meant(upgrade.parameter("access_token"))
    let key =
      offered?.key ?? Self.unescaped(upgrade.header("sendbird-ws-auth")) ?? SendbirdWire.meant(upgrade.parameter("key"))
    return Credentials(token: token ?? "", details: key.map { Baggage(SendbirdDetails(key: $0)) })
  }

  /// Decodes a header value, which Unity escapes and Flutter does not.
  private static func unescaped(_ value: String?) -> String? {
    guard let value = SendbirdWire.meant(value) else { return nil }
    return value.utf8.contains(UInt8(ascii: "%")) ? PercentEncoding.decode(value) ?? value : value
  }

  func details(of upgrade: HTTPRequest) -> Baggage? {
    Baggage(
      SendbirdUpgrade(
        applicationID: Self.applicationID(of: upgrade), userID: upgrade.parameter("user_id"),
        isExpiring: upgrade.parameter("expiring_session") == "1", peer: upgrade.peer))
  }
}
