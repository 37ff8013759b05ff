internal import GatewayCore
internal import GatewayKit

/// One device acting for one user of a Sinch application.
struct SinchInstance: Hashable, StoreValue {
  let id: Name
  let application: Name
  let user: UserID
  let kind: UserKind
  let device: Name
  /// SHA-256 of the secret. The secret itself is derived from the id and the application's secret when it is needed.
  let secretHash: [UInt8]
  let createdAt: WallTime
  /// The time of the last registration or extension.
  var registeredAt: WallTime
  /// The end of the registration, at which the instance is deleted; nil for none.
  var endsAt: WallTime?
  /// The fingerprint of its latest credentials, so that a revocation of these covers the instance too.
  var fingerprint: TokenFingerprint
  /// The issue time of those credentials; nil if they have none.
  var issuedAt: WallTime?

  init(
    id: Name, application: Name, user: UserID, kind: UserKind, device: Name, secretHash: [UInt8],
    createdAt: WallTime, endsAt: WallTime?, fingerprint: TokenFingerprint, issuedAt: WallTime?
  ) {
    self.id = id
    self.application = application
    self.user = user
    self.kind = kind
    self.device = device
    self.secretHash = secretHash
    self.createdAt = createdAt
    registeredAt = createdAt
    self.endsAt = endsAt
    self.fingerprint = fingerprint
    self.issuedAt = issuedAt
  }

  /// Returns whether it belongs to that device of that user of that application.
  func isOf(_ application: Name, _ user: UserID, _ device: Name) -> Bool {
    self.application == application && self.user == user && self.device == device
  }

  /// Returns whether it has ended.
  func hasEnded(at now: WallTime) -> Bool {
    endsAt.map { $0 <= now } ?? false
  }
}
