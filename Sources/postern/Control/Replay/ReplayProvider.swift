import GatewayControl
import GatewayCore
import GatewayJSON
import GatewayKit
import GatewayServer

/// Tokens from the space's own provider, for vendors whose tokens only the provider can sign.
struct ReplayProvider: Sendable {
  private let provider: ControlClient
  private let control: ControlClient
  /// The path of the space on the control port.
  private let space: String
  private let dialer: SocketDialer

  init(_ url: String, control: ControlClient, space: String, _ dialer: SocketDialer) throws {
    provider = try ControlClient(url: url, secret: nil)
    (self.control, self.space, self.dialer) = (control, space, dialer)
  }

  /// The clock error of the provider and the token's lifetime, both in seconds, that make a token which is refused with the
  /// given error.
  private static let wrongClocks: [String: (ahead: Int, life: Int)] = [
    "token_expired": (-48 * 3_600, 24 * 3_600), "token_revoked": (-3_600, 2 * 3_600),
    "token_used_before_issued": (24 * 3_600, 24 * 3_600),
  ]

  /// Returns a token equivalent to one of the journal. Throws ``ReplayRun/Stopped`` if the provider makes none.
  func token(_ presented: ReplayScript.Presented, scheme: String) async throws -> String {
    let wrong = presented.refusal.flatMap { Self.wrongClocks[$0] }
    let user = presented.refusal == "user_mismatch" ? "\(presented.user)-or-somebody-else" : presented.user
    let life = wrong.map { Duration.seconds($0.life) } ?? presented.life ?? .seconds(3_600)
    guard let wrong else {
      let token = try await mint(user, presented.kind, life, scheme)
      return presented.refusal == "signature_invalid" ? Self.tampered(token) : token
    }
    let ahead = JSONMember("ahead_s", json: String(wrong.ahead))
    let answer = try await control.send(.fault("issuer_clock", [ahead], of: space), by: dialer)
    guard answer.status < 400 else { throw Self.stopped(answer) }
    let ordered = try JSONCoder().decode(FaultBody.self, from: answer.data)
    let token = try await mint(user, presented.kind, life, scheme)
    _ = try await control.send(HTTPRequest(method: "DELETE", path: "\(space)/faults/\(ordered.number)"), by: dialer)
    return token
  }

  private func mint(_ user: String, _ kind: String, _ life: Duration, _ scheme: String) async throws -> String {
    guard let kind = UserKind(rawValue: kind) else {
      throw ReplaySpace.Stopped(sentence: "a token: the journal has no kind of user that there is, but '\(kind)'")
    }
    let client = TokenProviderClient(scheme: scheme)
    let rounded = Duration.saturating(seconds: life.inSeconds.rounded())
    let request = client.request(for: UserID(user), kind: kind, life: .lasting(rounded))
    let answer = try await provider.send(request, by: dialer)
    guard let token = client.token(in: HTTPResponse(status: answer.status, json: answer.data)) else {
      throw Self.stopped(answer)
    }
    return token.token
  }

  private static func stopped(_ answer: ControlClient.Answer) -> ReplaySpace.Stopped {
    ReplaySpace.Stopped(sentence: "a token: \(answer.complaint)")
  }

  /// Returns the token with one wrong character in the signature. It is not the last one, since some of its bits may
  /// have no meaning.
  private static func tampered(_ token: String) -> String {
    var bytes = Array(token.utf8)
    guard bytes.count > 8 else { return token }
    bytes[bytes.count - 8] = bytes[bytes.count - 8] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
    return String(decoding: bytes, as: UTF8.self)
  }
}
