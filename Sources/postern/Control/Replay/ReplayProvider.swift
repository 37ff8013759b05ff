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
    let fault = [JSONMember("fault", "issuer_clock"), JSONMember("ahead_s", json: String(wrong.ahead))]
    let ordered: Ordered = try await answer(.post("\(space)/faults", fault), of: control)
    let token = try await mint(user, presented.kind, life, scheme)
    _ = try await control.send(HTTPRequest(method: "DELETE", path: "\(space)/faults/\(ordered.number)"), by: dialer)
    return token
  }

  private struct Ordered: Decodable { let number: Int }
  private struct Minted: Decodable { let token: String }

  private func mint(_ user: String, _ kind: String, _ life: Duration, _ scheme: String) async throws -> String {
    let order = [
      JSONMember("user_id", user), JSONMember("kind", kind), JSONMember("scheme", scheme),
      JSONMember("life_s", json: String(life.inSeconds.rounded())),
    ]
    let minted: Minted = try await answer(.post("/v1/tokens", order), of: provider)
    return minted.token
  }

  private func answer<Content: Decodable>(_ request: HTTPRequest, of client: ControlClient) async throws -> Content {
    let answer = try await client.send(request, by: dialer)
    guard answer.status < 400 else { throw ReplayRun.Stopped(sentence: "a token: \(answer.complaint)") }
    return try JSONCoder().decode(Content.self, from: answer.data)
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
