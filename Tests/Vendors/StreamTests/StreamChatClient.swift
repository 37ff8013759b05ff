import GatewayCore

@testable import GatewayStream

/// A client of Stream Chat, whose whole login is in its upgrade. Otherwise it is like the client of Video.
struct StreamChatClient: ClientDialect {
  private let video = StreamVideoClientDialect(.javascript, apiKey: "key")

  var name: String { video.name }
  var upgradeTarget: String { StreamDialect.Kind.chat.path }

  func upgrade(of client: ClientIdentity) -> ClientUpgrade {
    let user = client.user.rawValue
    return ClientUpgrade(
      HTTPRequest(
        method: "GET", path: upgradeTarget,
        query: [
          HTTPField("api_key", "key"), HTTPField("authorization", client.token?.token ?? ""),
          HTTPField("stream-auth-type", "jwt"),
          HTTPField("json", #"{"user_id":"\#(user)","user_details":{"id":"\#(user)"}}"#),
        ]))
  }

  func encode(_ message: ClientMessage, of client: ClientIdentity) -> Frame? { nil }

  /// Decodes a message. A login is a health check that contains the user.
  func decode(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind) -> ServerNotice? {
    let text = String(decoding: payload, as: UTF8.self)
    if text.contains(#""me":"#) {
      var welcome = Welcome()
      welcome.connection = text.firstMatch(of: #/"connection_id":"([^"]+)"/#).map { String($0.1) }
      return .connected(nil, welcome)
    }
    if let code = text.firstMatch(of: #/"error":\{.*"code":(\d+)/#).flatMap({ Int($0.1) }) {
      return .error(number: code, name: "\(code)")
    }
    return video.decode(payload, kind)
  }

  func tokenRequest(for user: UserID, life: TokenLife, at now: WallTime) -> HTTPRequest {
    video.tokenRequest(for: user, life: life, at: now)
  }

  func token(in response: HTTPResponse) -> Credentials? { video.token(in: response) }
}
