internal import GatewayCore
internal import GatewayTokens

/// The derivation of an instance's secret. When the application's secret is removed, instances derived from it become
/// invalid.
enum SinchInstanceSecret {
  private static let label = "postern sinch instance "

  /// Returns the secret of a new instance: 32 bytes.
  static func make(id: Name, of application: SinchApplication) -> [UInt8] {
    derive(id, application.secrets[0])
  }

  static func hash(_ secret: [UInt8]) -> [UInt8] {
    SHA256.digest(secret)
  }

  /// Returns the instance's secret; nil if it was not derived from one of the application's present secrets.
  static func recover(_ instance: SinchInstance, of application: SinchApplication) -> [UInt8]? {
    candidates(id: instance.id, of: application).first {
      ConstantTime.areEqual(instance.secretHash, hash($0))
    }
  }

  /// Returns the secrets that an instance with that id would have under each of the application's present ones.
  static func candidates(id: Name, of application: SinchApplication) -> [[UInt8]] {
    application.secrets.map { derive(id, $0) }
  }

  private static func derive(_ id: Name, _ secret: SinchSecret) -> [UInt8] {
    HMACSHA256.code(key: secret.bytes, (label + id.text).utf8)
  }
}
