internal import GatewayCore
internal import GatewayTokens

/// The signature of the legacy mobile SDKs: SHA-1 over the texts joined without separators, with the secret as base64
/// text.
enum SinchMobileSignature {
  /// Returns `base64(SHA-1(userId + applicationKey + sequence + applicationSecret))`.
  static func sign(user: UserID, application: Name, sequence: UInt64, secret: SinchSecret) -> String {
    let text = user.rawValue + application.text + String(sequence) + secret.text
    return Base64.encode(LegacyDigest.sha1.digest(text.utf8))
  }

  /// Throws unless one of the application's secrets made `signature` for that user and sequence.
  static func check(
    _ signature: String, user: UserID, application: SinchApplication, sequence: UInt64
  ) throws(SinchRefusal) {
    let presented = Array(signature.utf8)
    var isRight = false
    for secret in application.secrets {
      let expected = sign(user: user, application: application.key, sequence: sequence, secret: secret)
      if ConstantTime.areEqual(Array(expected.utf8), presented) { isRight = true }
    }
    guard isRight else { throw .badSignature }
  }

  /// Parses a sequence of decimal digits without sign or leading zeros; returns nil for other text.
  static func sequence(_ text: String) -> UInt64? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt64(text),
      String(number) == text
    else { return nil }
    return number
  }
}
