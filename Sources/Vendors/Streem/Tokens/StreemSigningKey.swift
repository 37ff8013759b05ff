internal import GatewayCore
internal import GatewayTokens
internal import Synchronization

/// The key that the copies of an issuer sign with, which may be replaced.
final class StreemSigningKey: Sendable {
  private let key: Mutex<(apiKey: Name, signer: JWTSigner)>

  init(_ apiKey: Name, _ signer: JWTSigner) {
    key = Mutex((apiKey, signer))
  }

  var current: (apiKey: Name, signer: JWTSigner) { key.withLock { $0 } }

  func replace(with apiKey: Name, _ signer: JWTSigner) {
    key.withLock { $0 = (apiKey, signer) }
  }
}
