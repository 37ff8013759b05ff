import GatewayCore
import GatewayTokens

@testable import GatewaySinch

/// A registration token to sign, in which everything can be changed.
struct SinchTokenSketch {
  static let key: Name = "d404a4d3-51cf-45e2-bc32-e294ae879d58"
  static let secret = SinchSecret("oYdgGRXoxEuJhGDY2KQ/HQ==")!
  /// 2025-04-01T10:00:00Z.
  static let noon: Int64 = 1_743_501_600
  static let issuer = "//rtc.sinch.com/applications/\(key)"
  static var now: WallTime { WallTime(seconds: Double(noon)) }

  static var applications: SinchApplications {
    SinchApplications([SinchApplication(key: key, secrets: [secret])])
  }

  /// The header: JSON texts by name, in order.
  var header: [(String, String)] = [("alg", "\"HS256\""), ("kid", "\"hkdfv1-20250401\"")]
  var claims: [(String, String)] = [
    ("iss", "\"\(issuer)\""), ("sub", "\"\(issuer)/users/alice\""), ("iat", "\(noon)"), ("exp", "\(noon + 600)"),
    ("nonce", "\"n1\""),
  ]
  var secret = SinchTokenSketch.secret
  /// The date from which the key is derived; nil for the date in `kid`.
  var date: String?

  mutating func set(_ claim: String, _ json: String?) {
    claims.removeAll { $0.0 == claim }
    if let json { claims.append((claim, json)) }
  }

  mutating func setHeader(_ name: String, _ json: String?) {
    header.removeAll { $0.0 == name }
    if let json { header.append((name, json)) }
  }

  /// Sets both dates of the token, `life` apart, and the day of `iat` in `kid`.
  mutating func date(_ issuedAt: Int64, life: Int64 = 600) {
    set("iat", "\(issuedAt)")
    set("exp", "\(issuedAt + life)")
    setHeader("kid", "\"\(SinchSigningKey.keyID(at: WallTime(seconds: Double(issuedAt))))\"")
  }

  func text(space: String = "") -> String {
    Self.sign(Self.json(header, space), Self.json(claims, space), secret, date ?? keyDate)
  }

  private var keyDate: String {
    let kid = header.first { $0.0 == "kid" }?.1.filter { $0 != "\"" } ?? ""
    return String(kid.drop { $0 != "-" }.dropFirst())
  }

  private static func json(_ members: [(String, String)], _ space: String) -> String {
    let text = members.map { "\(space)\"\($0.0)\"\(space):\(space)\($0.1)\(space)" }.joined(separator: ",")
    return "{\(text)}"
  }

  static func sign(_ header: String, _ claims: String, _ secret: SinchSecret, _ date: String) -> String {
    let input = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(claims.utf8))
    let code = HMACSHA256.code(key: SinchSigningKey.derive(secret, date: date), input.utf8)
    return input + "." + Base64URL.encode(code)
  }
}
