import GatewayCore
import GatewayJSON
import GatewayKit

/// The parrot's wire, the client's side.
struct ParrotClientDialect: ClientDialect {
  let name = ParrotDialect.name
  let upgradeTarget = ParrotDialect.path
  private let provider: TokenProviderClient

  init(providerSecret: Credentials? = nil) {
    provider = TokenProviderClient(secret: providerSecret, scheme: ParrotDialect.name)
  }

  func upgrade(of client: ClientIdentity) -> ClientUpgrade {
    ClientUpgrade(HTTPRequest(method: "GET", path: upgradeTarget))
  }

  func encode(_ message: ClientMessage, of client: ClientIdentity) -> Frame? {
    switch message {
    case .connect(let credentials): ParrotDialect.frame("hello") { $0.member("token", credentials.token) }
    case .refresh(let credentials): ParrotDialect.frame("fresh_token") { $0.member("token", credentials.token) }
    case .ping: nil
    case .garbage, .cued: Frame(text: "krah")
    }
  }

  func decode(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind) -> ServerNotice? {
    guard let message = try? TypedMessage(payload, kind) else { return nil }
    let (number, because) = (try? message.object.number("number"), try? message.object.string("because"))
    switch message.type {
    case "welcome": return .connected(nil)
    case "thanks": return .refreshed
    case "token_please":
      guard let timeout = try? message.object.number("within_ms"), (0...1e15).contains(timeout) else { return nil }
      return .refreshRequired(timeout: .milliseconds(Int64(timeout)))
    case "no": return .error(number: number.flatMap { Int(exactly: $0) } ?? 0, name: because ?? "")
    case "bye": return .closing(name: because ?? "")
    default: return nil
    }
  }

  func tokenRequest(for user: UserID, life: TokenLife, at now: WallTime) -> HTTPRequest {
    provider.request(for: user, life: life)
  }

  func token(in response: HTTPResponse) -> Credentials? { provider.token(in: response) }
}
