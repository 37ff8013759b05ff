internal import GatewayCore
internal import GatewayKit

/// Streem's wire, the server's side. It is our own, since the vendor publishes none; `Deploy/api/streem-asyncapi.yaml`
/// describes it.
struct StreemDialect: Dialect {
  /// The path of the upgrade request.
  static let path = "/streem/v1/connect"
  /// The prefixes of the HTTP API's paths.
  private static let paths = ["/streem/", "/v1/companies/", "/v1/rooms", "/v1/webhooks", "/i/", "/mycalls/", "/share/"]

  static let name = StreemSettings.dialect

  var name: String { Self.name }
  private let home: Name

  /// Creates the dialect.
  ///
  /// - Parameter home: The code of the company whose users keep their own names.
  init(home: Name) {
    self.home = home
  }

  var socketPath: String? { Self.path }

  func accepts(_ upgrade: HTTPRequest) -> Bool {
    upgrade.path == Self.path
  }

  func owns(path: String) -> Bool {
    Self.paths.contains { path.hasPrefix($0) }
  }

  /// Returns nil: the first message contains the credentials, since tokens in URLs end up in logs.
  func credentials(in upgrade: HTTPRequest) throws(GatewayError) -> Credentials? { nil }

  func decode(
    _ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, _ context: DialectContext
  ) throws(GatewayError) -> InboundMessage? {
    let typed = try TypedMessage(payload, kind)
    let (type, message) = (typed.type, typed.object)
    let request = try typed.request()
    switch type {
    case "identify", "token":
      let details = type == "identify" ? Baggage(try message.streemDetails()) : nil
      return .credentials(Credentials(token: try message.streemToken(), details: details), request: request)
    case "logout":
      return .logout(request: request)
    case "ping":
      return .ping(request: request)
    default:
      guard let label = StreemCommand.Label(rawValue: type) else {
        throw .unknownType.detailed("see the messages of a client in the documentation")
      }
      return .command(Command(type, StreemCommand(label, message, context)), request: request)
    }
  }

  // An invitation's code admits anyone, and so does the link that contains it.
  private static let redaction = JSONRedaction(["invitationcode", "url"])

  func redacted(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, isUnderstood: Bool) -> String? {
    kind == .text ? Self.redaction.text(payload, isUnderstood: isUnderstood) : nil
  }

  func closeReason(for reason: CloseReason) -> CloseReason {
    reason == .refreshTimeout ? Self.sessionExpired : reason
  }

  /// The close reason of a session that reached `session_exp` without a new token.
  static let sessionExpired = CloseReason(code: CloseReason.refreshTimeout.code, name: "session_expired")!

  /// Returns the external id of a user.
  func externalID(_ user: UserID) -> String {
    StreemName(user, home: home).externalID.text
  }
}
