package import GatewayCore
internal import GatewayJSON
internal import GatewayKit
internal import GatewayTokens

/// The gateway's own wire format, the client's side.
package struct PlainClientDialect: ClientDialect {
  package let name = "plain"
  package let upgradeTarget = PlainDialect.path

  private let provider: TokenProviderClient

  /// Creates the dialect.
  ///
  /// - Parameter providerSecret: The secret that the token provider requires as `Authorization: Bearer`, if any.
  package init(providerSecret: Credentials? = nil) {
    provider = TokenProviderClient(secret: providerSecret)
  }

  package func upgrade(of client: ClientIdentity) -> ClientUpgrade {
    ClientUpgrade(HTTPRequest(method: "GET", path: upgradeTarget))
  }

  package func encode(_ message: ClientMessage, of client: ClientIdentity) -> Frame? { encode(message) }

  package func encode(_ message: ClientMessage) -> Frame {
    switch message {
    case .connect(let credentials): Self.credentials("connect", credentials)
    case .refresh(let credentials): Self.credentials("refresh", credentials)
    case .ping: Frame(text: #"{"type":"ping"}"#)
    case .garbage, .cued: Frame(text: #"{"type":"nonsense","#)
    }
  }

  private static func credentials(_ type: String, _ credentials: Credentials) -> Frame {
    Frame(
      .text,
      JSONWriter.object(capacity: 48 + credentials.token.utf8.count) { json in
        json.member("type", type)
        json.member("token", credentials.token)
      })
  }

  package func decode(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind) -> ServerNotice? {
    guard kind == .text, let message = try? JSONObject(payload) else { return nil }
    switch try? message.string("type") {
    case "refreshed":
      return .refreshed
    case "refresh_required":
      guard let timeout = try? message.number("timeout_ms"), (0...1e15).contains(timeout) else { return nil }
      return .refreshRequired(timeout: .milliseconds(Int64(timeout)))
    case "connected":
      return .connected((try? message.string("connection_id")).flatMap { ConnectionID($0) })
    case "error":
      guard let error = message["error"], let number = error["number"]?.integer, let name = error["name"]?.string,
        let number = Int(exactly: number)
      else { return nil }
      return .error(number: number, name: name)
    case "closing":
      return (message["reason"]?["name"]?.string).map { .closing(name: $0) }
    default:
      return nil
    }
  }

  package func tokenRequest(for user: UserID, life: TokenLife, at now: WallTime) -> HTTPRequest {
    provider.request(for: user, life: life)
  }

  package func token(in response: HTTPResponse) -> Credentials? { provider.token(in: response) }

  /// Returns the token's `exp`; nil for a token without one, or one that is not a JWT.
  package func end(of token: Credentials) -> WallTime? {
    guard let payload = try? UnverifiedToken(token.token).payload, let exp = payload[member: "exp"]?.number,
      (0...Self.endMax).contains(exp)
    else { return nil }
    return WallTime(seconds: exp)
  }

  /// In seconds: the year 2255. Later times are ignored.
  private static let endMax = 9e9
}
