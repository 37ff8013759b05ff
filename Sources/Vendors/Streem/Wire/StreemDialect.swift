package import GatewayCore
internal import GatewayKit

/// Streem's sessions on a wire of our own, since the vendor publishes none: text frames of one JSON object each, whose
/// member `type` is named for the SDK's call, `identify` for instance. `Deploy/api/streem-asyncapi.yaml` describes it.
package struct StreemDialect: Dialect {
  /// The path of the upgrade request.
  package static let path = "/streem/v1/connect"
  /// What the paths of the HTTP side begin with.
  private static let paths = ["/streem/", "/v1/companies/", "/v1/rooms", "/v1/webhooks", "/i/", "/mycalls/", "/share/"]

  package static let name = StreemSettings.dialect

  package var name: String { Self.name }
  private let home: Name

  /// - Parameter home: The code of the company whose users go by their own names.
  package init(home: Name) {
    self.home = home
  }

  package var socketPath: String? { Self.path }

  package func accepts(_ upgrade: HTTPRequest) -> Bool {
    upgrade.path == Self.path
  }

  package func owns(path: String) -> Bool {
    Self.paths.contains { path.hasPrefix($0) }
  }

  /// None: the first message brings them, since a token in an address ends up in logs.
  package func credentials(in upgrade: HTTPRequest) throws(GatewayError) -> Credentials? { nil }

  package func decode(
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

  // A code of an invitation lets its holder in, and so does the link that holds the code.
  private static let redaction = JSONRedaction(["invitationcode", "url"])

  package func redacted(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, isUnderstood: Bool) -> String? {
    kind == .text ? Self.redaction.text(payload, isUnderstood: isUnderstood) : nil
  }

  package func closeReason(for reason: CloseReason) -> CloseReason {
    reason == .refreshTimeout ? Self.sessionExpired : reason
  }

  /// The session has reached `session_exp`, and no new token came.
  static let sessionExpired = CloseReason(code: CloseReason.refreshTimeout.code, name: "session_expired")!

  /// The external id that a user's own application knows them by.
  func externalID(_ user: UserID) -> String {
    StreemName(user, home: home).externalID.text
  }
}
