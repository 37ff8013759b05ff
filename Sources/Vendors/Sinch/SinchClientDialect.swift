internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

/// Our Sinch wire, the client's side.
struct SinchClientDialect: ClientDialect {
  let name = "sinch"
  let upgradeTarget = SinchDialect.path
  private let application: Name
  private let provider: TokenProviderClient

  /// Creates the dialect.
  ///
  /// - Parameters:
  ///   - application: The key of the clients' application, which their tokens must name.
  ///   - providerSecret: The secret that the token provider requires as `Authorization: Bearer`, if any.
  init(application: Name = SinchApplications.usualKey, providerSecret: Credentials? = nil) {
    self.application = application
    provider = TokenProviderClient(secret: providerSecret, scheme: "sinch")
  }

  func upgrade(of client: ClientIdentity) -> ClientUpgrade {
    ClientUpgrade(HTTPRequest(method: "GET", path: upgradeTarget))
  }

  func encode(_ message: ClientMessage, of client: ClientIdentity) -> Frame? {
    switch message {
    case .connect(let credentials): start(credentials, client)
    case .refresh(let credentials):
      Frame(text: SinchWords.text("register") { $0.member("jwt", credentials.token) })
    case .ping: Frame(text: SinchWords.text("ping"))
    case .garbage, .cued: Frame(text: #"{"type":"nonsense","#)
    }
  }

  private func start(_ credentials: Credentials, _ client: ClientIdentity) -> Frame {
    Frame(
      text: SinchWords.text("start") { json in
        json.member("applicationKey", application.text)
        json.member("userId", client.user.rawValue)
        json.member("deviceId", "storm-\(client.number)")
        json.member("sdk") { sdk in
          sdk.member("platform", "postern")
          sdk.member("version", "1")
        }
        json.member("jwt", credentials.token)
      })
  }

  func decode(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind) -> ServerNotice? {
    guard kind == .text, let message = try? JSONObject(payload) else { return nil }
    switch try? message.string("type") {
    case "clientStarted":
      return .connected((try? message.string("connectionId")).flatMap { ConnectionID($0) })
    case "userRegistered":
      // It is also sent before the start; a client that is not connected ignores it.
      return .refreshed
    case "credentialsRequired":
      guard let timeout = try? message.number("timeoutMs"), (0...1e15).contains(timeout) else { return nil }
      return .refreshRequired(timeout: .milliseconds(Int64(timeout)))
    case "error", "clientFailed", "userRegistrationFailed":
      guard let error = message["error"], let code = error["errorCode"]?.integer, let number = Int(exactly: code) else {
        return nil
      }
      return .error(number: number, name: error["reason"]?.string ?? "\(number)")
    case "closing":
      return (try? message.string("reason")).map { .closing(name: $0) }
    case "pong":
      return .alive
    default:
      return nil
    }
  }

  func tokenRequest(for user: UserID, life: TokenLife, at now: WallTime) -> HTTPRequest {
    provider.request(for: user, life: life)
  }

  func token(in response: HTTPResponse) -> Credentials? { provider.token(in: response) }
}
