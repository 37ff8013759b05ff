import GatewayKit

/// The secret that storms and workers share.
enum WorkerSecret {
  /// The shortest secret, in bytes: a peer may try as many as it likes.
  private static let bytesMin = 16

  /// Returns the secret in the file that the value of `flag` names.
  static func read(_ file: Arguments.Value, of flag: String) throws -> String {
    let secret = try file.secret()
    guard secret.utf8.count >= bytesMin else {
      throw UsageError("\(flag): a secret of workers has at least \(bytesMin) characters")
    }
    return secret
  }
}
