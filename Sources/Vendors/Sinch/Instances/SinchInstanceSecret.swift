internal import GatewayCore
internal import GatewayTokens

/// The secret of an instance: derived from the instance's id and the application's secret, so that the directory can
/// keep a hash of it and still check what was signed with it, a `start` for instance. When the application's secret
/// goes, so do the instances that were made under it.
enum SinchInstanceSecret {
  private static let label = "postern sinch instance "

  /// The secret of a new instance: 32 bytes.
  static func make(id: Name, of application: SinchApplication) -> [UInt8] {
    derive(id, application.secrets[0])
  }

  static func hash(_ secret: [UInt8]) -> [UInt8] {
    SHA256.digest(secret)
  }

  /// The instance's secret; nil if none of the application's present secrets made it.
  static func recover(_ instance: SinchInstance, of application: SinchApplication) -> [UInt8]? {
    candidates(id: instance.id, of: application).first {
      ConstantTime.areEqual(instance.secretHash, hash($0))
    }
  }

  /// The secrets that an instance of that id would have, were it made under the application's present ones.
  static func candidates(id: Name, of application: SinchApplication) -> [[UInt8]] {
    application.secrets.map { derive(id, $0) }
  }

  private static func derive(_ id: Name, _ secret: SinchSecret) -> [UInt8] {
    HMACSHA256.code(key: secret.bytes, (label + id.text).utf8)
  }
}
