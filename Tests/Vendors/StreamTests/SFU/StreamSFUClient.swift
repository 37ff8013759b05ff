import GatewayCore

@testable import GatewayStream

/// A client of Stream's SFU that uses ProtoJSON; its token comes from a join over REST.
struct StreamSFUClient: ClientDialect {
  /// The number for the error that requires another token.
  static let unauthenticated = 401

  private let video = StreamVideoClientDialect(.javascript, apiKey: "key")

  var name: String { video.name }
  var upgradeTarget: String { StreamSFUDialect.socketPath }

  func upgrade(of client: ClientIdentity) -> ClientUpgrade {
    ClientUpgrade(HTTPRequest(method: "GET", path: upgradeTarget))
  }

  func encode(_ message: ClientMessage, of client: ClientIdentity) -> Frame? {
    guard case .connect(let credentials) = message else { return nil }
    let session = "\(client.user)-\(client.number)"
    return Frame(
      text: #"{"joinRequest":{"token":"\#(credentials.token)","sessionId":"\#(session)","reconnectDetails":{}}}"#)
  }

  func decode(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind) -> ServerNotice? {
    let text = String(decoding: payload, as: UTF8.self)
    if text.hasPrefix(#"{"joinResponse""#) { return .connected(nil) }
    guard text.hasPrefix(#"{"error""#) else { return nil }
    return .error(number: text.contains("ERROR_CODE_UNAUTHENTICATED") ? Self.unauthenticated : 0, name: text)
  }

  func tokenRequest(for user: UserID, life: TokenLife, at now: WallTime) -> HTTPRequest {
    video.tokenRequest(for: user, life: life, at: now)
  }

  func token(in response: HTTPResponse) -> Credentials? { video.token(in: response) }
}
