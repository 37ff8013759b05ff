internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

/// Streem's wire, the client's side.
struct StreemClientDialect: ClientDialect {
  let name = StreemDialect.name
  let upgradeTarget = StreemDialect.path
  let closeNames = CloseReason.names.merging(
    [StreemDialect.sessionExpired.code: StreemDialect.sessionExpired.name], uniquingKeysWith: { _, own in own })
  private let provider: TokenProviderClient

  /// Creates the dialect.
  ///
  /// - Parameter providerSecret: The secret that the token provider requires as `Authorization: Bearer`, if any. The
  ///   vendor has no provider: tokens come from the application's server, which the gateway's provider replaces.
  init(providerSecret: Credentials? = nil) {
    provider = TokenProviderClient(secret: providerSecret, scheme: StreemDialect.name)
  }

  func upgrade(of client: ClientIdentity) -> ClientUpgrade {
    ClientUpgrade(HTTPRequest(method: "GET", path: upgradeTarget))
  }

  func encode(_ message: ClientMessage, of client: ClientIdentity) -> Frame? {
    switch message {
    case .connect(let credentials):
      StreemDialect.message("identify", nil) { json in
        json.member("token", credentials.token)
        json.member("isExpert", false)
        json.member("appId", "storm")
      }
    case .refresh(let credentials):
      StreemDialect.message("token", nil) { $0.member("token", credentials.token) }
    case .ping:
      StreemDialect.message("ping", nil) { _ in }
    case .garbage, .cued:
      Frame(text: #"{"type":"identify","#)
    }
  }

  func decode(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind) -> ServerNotice? {
    guard kind == .text, let message = try? JSONObject(payload) else { return nil }
    switch try? message.string("type") {
    case "identified":
      if (try? message.truth("refreshed")) == true { return .refreshed }
      guard let session = try? message.string("sessionId") else { return nil }
      return .connected(ConnectionID(session))
    case "tokenRequired":
      guard let timeout = try? message.number("timeoutMs"), (0...1e15).contains(timeout) else { return nil }
      return .refreshRequired(timeout: .milliseconds(Int64(timeout)))
    case "identifyFailed", "error":
      guard let reason = try? message.string("reason") else { return nil }
      return .error(number: (try? message.number("number")).flatMap { Int(exactly: $0) } ?? 0, name: reason)
    case "pong":
      return .alive
    case "closing":
      return (try? message.string("reason")).map { .closing(name: $0) }
    default:
      return nil
    }
  }

  func tokenRequest(for user: UserID, life: TokenLife, at now: WallTime) -> HTTPRequest {
    provider.request(for: user, life: life)
  }

  func token(in response: HTTPResponse) -> Credentials? { provider.token(in: response) }
}
