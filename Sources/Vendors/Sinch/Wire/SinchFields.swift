internal import GatewayCore

/// The messages that bear credentials: what they are called on the wire, and in the answers' names of requests.
enum SinchMessage: String, Hashable, Sendable {
  case start
  case register
  case registerFailed
}

/// What such a message says beside the token.
enum SinchDetails: Hashable, Sendable {
  /// Who starts, and the instance that they have.
  case start(SinchDevice, SinchInstanceProof?)
  /// What the token is, and whether the registration that the connection lives by has ended.
  case register(SinchProofKind, hasEnded: Bool)
  case registerFailed(hasEnded: Bool)

  var message: SinchMessage {
    switch self {
    case .start: .start
    case .register: .register
    case .registerFailed: .registerFailed
    }
  }
}

/// That a device has an instance.
struct SinchInstanceProof: Hashable, Sendable {
  var id: Name
  var timestamp: String
  var signature: String
}

/// What proves who registers.
enum SinchProofKind: Hashable, Sendable {
  case token
  case ticket
  case signature(sequence: UInt64)
}
