package import GatewayCore
internal import GatewayKit

/// The gateway's own wire format, the server's side. `Deploy/api/asyncapi.yaml` describes it.
package struct PlainDialect: Dialect {
  /// The path of the upgrade request.
  package static let path = "/v1/connect"
  /// The maximum nesting of a published message, which every member's client must parse.
  package static let contentDepthMax = 32

  package static let name = "plain"

  package var name: String { Self.name }

  package init() {}

  package var socketPath: String? { Self.path }

  package var asksAllAlike: Bool { true }

  package var letsApplicationJudge: Bool { true }

  package func accepts(_ upgrade: HTTPRequest) -> Bool {
    upgrade.path == Self.path
  }

  package func owns(path: String) -> Bool {
    path.hasPrefix("/v1/")
  }

  /// Returns the token of `Authorization: Bearer` or of the query's `access_token`: one of them, once (RFC 6750 section
  /// 2).
  package func credentials(in upgrade: HTTPRequest) throws(GatewayError) -> Credentials? {
    let headers = upgrade.headers.count { $0.name == "authorization" }
    let parameters = upgrade.query.count { $0.name == "access_token" }
    guard headers + parameters <= 1 else {
      throw .malformedRequest.detailed("send the token once, as Authorization or as access_token")
    }
    if headers == 1 {
      guard let token = upgrade.bearerToken else {
        throw .credentialsMissing.detailed("Authorization is not Bearer and a token")
      }
      return Credentials(token: token)
    }
    guard let token = upgrade.parameter("access_token") else { return nil }
    guard !token.isEmpty else { throw .credentialsMissing.detailed("access_token is empty") }
    return Credentials(token: token)
  }

  package func decode(
    _ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, _ context: DialectContext
  ) throws(GatewayError) -> InboundMessage? {
    let typed = try TypedMessage(payload, kind)
    let message = typed.object
    let request = try typed.request()
    switch typed.type {
    case "refresh":
      return .credentials(Credentials(token: try Self.token(message)), request: request)
    case "connect":
      let credentials = Credentials(token: try Self.token(message), details: try Self.data(message))
      return .credentials(credentials, request: request)
    case "ping":
      return .ping(request: request)
    case "publish":
      let call = try Self.call(message)
      guard let content = try message.verbatim("content", depth: Self.contentDepthMax) else {
        throw .invalidParameter.detailed("content is missing; it must be a JSON value")
      }
      return .command(Command(CallCommand.publish(call, content: content)), request: request)
    case "join":
      return .command(Command(CallCommand.join(try Self.call(message))), request: request)
    case "leave":
      return .command(Command(CallCommand.leave(try Self.call(message))), request: request)
    default:
      throw .unknownType.detailed("type must be connect, refresh, join, leave, publish or ping")
    }
  }

  private static let redaction = JSONRedaction()

  package func redacted(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, isUnderstood: Bool) -> String? {
    kind == .text ? Self.redaction.text(payload, isUnderstood: isUnderstood) : nil
  }

  private static func token(_ message: JSONObject) throws(GatewayError) -> String {
    guard let token = try message.string("token", bytes: 1...Int.max) else {
      throw .invalidParameter.detailed("token is missing; it must be a string")
    }
    return token
  }

  private static func data(_ message: JSONObject) throws(GatewayError) -> Baggage? {
    guard let json = try message.verbatim("data", depth: ClientData.depthMax) else { return nil }
    guard json.utf8.count <= ClientData.bytesMax else {
      throw .invalidParameter.detailed("data must have at most \(ClientData.bytesMax) bytes")
    }
    return Baggage(ClientData(json: json))
  }

  private static func call(_ message: JSONObject) throws(GatewayError) -> CallID {
    guard let cid = try message.string("cid", bytes: 1...CallID.lengthMax), let call = CallID(cid: cid) else {
      throw .invalidParameter.detailed(
        "cid must be type:id, both of letters, digits, _, - and !, \(CallID.lengthMax) bytes at most")
    }
    return call
  }
}
