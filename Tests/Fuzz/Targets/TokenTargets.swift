import Foundation
import GatewayCore
import GatewayJSON

@testable import GatewayIdentity
@testable import GatewayTokens

/// Tokens of clients, and keys of issuers.
enum TokenTargets {
  static let all = [
    FuzzTarget("jwt", jwt), FuzzTarget("jwks", jwks), FuzzTarget("pem", pem), FuzzTarget("base64", base64),
    FuzzTarget("discovery", discovery), FuzzTarget("hook-answer", hookAnswer),
  ]

  private static let now = WallTime(seconds: 1_800_000_000)
  private static let secret = Array("the secret of the seeds, which opens nothing".utf8)

  private static let signer = try! JWTSigner(KeyMaterial.secret(secret), algorithm: .hs256)
  private static let verifier = try! JWTVerifier(keys: KeySet([VerificationKey(KeyMaterial.secret(secret))]))

  /// Reads the text as a token, and signs it as one.
  static func jwt(_ bytes: [UInt8]) throws {
    try verify(String(decoding: bytes, as: UTF8.self))
    let parts = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1).map(Array.init)
    guard parts.count == 2 else { return }
    let input = "\(Base64URL.encode(parts[0])).\(Base64URL.encode(parts[1]))"
    try verify("\(input).\(Base64URL.encode(signer.signature(of: Array(input.utf8))))")
  }

  private static func verify(_ token: String) throws {
    let read = try? UnverifiedToken(token)
    guard let claims = try? verifier.verify(token, at: now) else { return }
    try hold(read?.payload.text == claims.payload.text, "a verified token that reads otherwise: \(token)")
    let end = token.utf8.lastIndex(of: UInt8(ascii: ".")) ?? token.startIndex
    let signature = Base64URL.encode(signer.signature(of: Array(token[..<end].utf8)))
    try hold(token[end...].dropFirst().utf8.elementsEqual(signature.utf8), "a signature in another spelling: \(token)")
    if let end = claims.expiresAt { try hold(end > now - .seconds(3_600), "a token that has expired: \(token)") }
  }

  static func jwks(_ bytes: [UInt8]) throws {
    let keys = try? KeySet(jwks: bytes)
    try hold((keys?.keys.count ?? 0) <= KeySet.countMax, "\(keys?.keys.count ?? 0) keys")
    var policy = TokenPolicy()
    policy.issuer = "https://id.example"
    let owner = KeyOwner(policy)
    let algorithms = AlgorithmSet([.rs256, .ps256, .es256, .es384, .eddsa])
    if let fetched = try? FetchedKeys(jwks: bytes, of: owner, algorithms: algorithms) {
      for key in fetched.keys {
        try hold(!key.algorithms.isEmpty && key.algorithms.isSubset(of: algorithms), "a key for \(key.algorithms)")
      }
    }
    guard let key = try? P256PublicKey(jwk: bytes) else { return }
    try hold((try? P256PublicKey(jwk: key.jwk)) == key, "a key that is written otherwise than it is read")
  }

  static func pem(_ bytes: [UInt8]) throws {
    _ = try? KeyMaterial.pem(bytes)
    guard let pair = try? RSAKeyPair(pem: bytes) else { return }
    try hold((try? RSAKeyPair(pem: pair.pem))?.namedJWK == pair.namedJWK, "a key pair that is written otherwise")
  }

  static func base64(_ bytes: [UInt8]) throws {
    try hold(Base64URL.decode(Base64URL.encode(bytes)) == bytes, "base64url")
    try hold(Base64.decode(Base64.encode(bytes)) == bytes, "base64")
    try hold(Base64.encode(bytes) == Data(bytes).base64EncodedString(), "base64 as Foundation writes it")
    let text = String(decoding: bytes, as: UTF8.self)
    if let decoded = Base64URL.decode(text) {
      try hold(Base64URL.encode(decoded).utf8.elementsEqual(text.utf8), "base64url in two spellings: \(text)")
    }
    if let decoded = Base64.decode(text) {
      // Foundation reads one alphabet, padded.
      let standard = text.replacing(bytesOf: "-", with: "+").replacing(bytesOf: "_", with: "/")
      let padded = standard + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
      try hold(
        Data(base64Encoded: padded).map(Array.init) == decoded, "base64 that Foundation reads otherwise: \(text)")
    }
  }

  static func discovery(_ bytes: [UInt8]) throws {
    let issuer = "https://id.example"
    if let document = try? DiscoveryDocument(bytes, of: Name(issuer)) {
      try hold(document.keys.isTLS || document.keys.host == "localhost" || IPAddress(document.keys.host) != nil, "http")
    }
    let text = String(decoding: bytes, as: UTF8.self)
    _ = try? DiscoveryDocument.Kind.login.addresses(of: text)
    _ = try? DiscoveryDocument.Kind.transmitter.addresses(of: text)
    guard let address = try? EndpointAddress(text) else { return }
    try hold((try? EndpointAddress(address.text)) == address && (0...65_535).contains(address.port), text)
    _ = address.request()
  }

  /// Reads the body of a backend's answer.
  static func hookAnswer(_ bytes: [UInt8]) throws {
    guard let answer = try? HookAnswer(HTTPResponse(status: 200, body: bytes)) else { return }
    switch answer {
    case .accepted(let acceptance): try hold((acceptance.user ?? "").utf8.count <= UserID.lengthMax, "\(acceptance)")
    case .refused(_, let message): try hold(message.utf8.count <= 256, message)
    case .closed(let reason): try hold((4_000...4_999).contains(reason.code), "\(reason)")
    case .expired: return
    }
  }
}
