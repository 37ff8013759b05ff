package import GatewayCore
internal import GatewayKit

/// One device acting for one user of a Sinch application.
package struct SinchInstance: Hashable, StoreValue {
  package let id: Name
  package let application: Name
  package let user: UserID
  package let kind: UserKind
  package let device: Name
  /// SHA-256 of the secret. The secret itself is derived from the id and the application's secret when it is needed.
  package let secretHash: [UInt8]
  package let createdAt: WallTime
  /// The time of the last registration or extension.
  package var registeredAt: WallTime
  /// The end of the registration, at which the instance is deleted; nil for none.
  package var endsAt: WallTime?
  /// The fingerprint of its latest credentials, so that a revocation of these covers the instance too.
  package var fingerprint: TokenFingerprint
  /// The issue time of those credentials; nil if they have none.
  package var issuedAt: WallTime?

  package init(
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
  package func isOf(_ application: Name, _ user: UserID, _ device: Name) -> Bool {
    self.application == application && self.user == user && self.device == device
  }

  /// Returns whether it has ended.
  package func hasEnded(at now: WallTime) -> Bool {
    endsAt.map { $0 <= now } ?? false
  }
}
