internal import GatewayCore
internal import GatewayTokens

/// The signature of an HTTP request.
struct SinchRequestSignature: Hashable, Sendable {
  var method: String
  var body: [UInt8] = []
  /// The header's value as sent; empty if there was none.
  var contentType: String = ""
  /// The value of `x-timestamp` as sent.
  var timestamp: String
  /// The path with the query string.
  var path: String

  /// The signed text.
  var text: String {
    let digest = body.isEmpty ? "" : Base64.encode(LegacyDigest.md5.digest(body))
    return "\(method)\n\(digest)\n\(contentType)\nx-timestamp:\(timestamp)\n\(path)"
  }

  /// Returns the signature with a decoded secret, as base64 text.
  func sign(_ secret: [UInt8]) -> String {
    Base64.encode(HMACSHA256.code(key: secret, text.utf8))
  }

  /// Returns whether one of the secrets made `signature`, compared in constant time.
  func isSigned(_ signature: String, by secrets: [[UInt8]]) -> Bool {
    guard let presented = Base64.decode(signature) else { return false }
    var isRight = false
    for secret in secrets where ConstantTime.areEqual(HMACSHA256.code(key: secret, text.utf8), presented) {
      isRight = true
    }
    return isRight
  }
}
