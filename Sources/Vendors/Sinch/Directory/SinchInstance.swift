package import GatewayCore
internal import GatewayKit

/// One device acting for one user of a Sinch application: ann's phone until the end of next week, for instance.
package struct SinchInstance: Hashable, StoreValue {
  package let id: Name
  package let application: Name
  package let user: UserID
  package let kind: UserKind
  package let device: Name
  /// SHA-256 of the secret: the secret itself is made anew from the id and the application's own whenever it is needed.
  package let secretHash: [UInt8]
  package let createdAt: WallTime
  /// When it was registered, or extended, last.
  package var registeredAt: WallTime
  /// When the registration ends and the instance is deleted; nil if never.
  package var endsAt: WallTime?
  /// What it was last registered with, so that a revocation takes the instance in as well.
  package var fingerprint: TokenFingerprint
  /// When those credentials were issued; nil where they bear no date.
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

  /// Whether it is of that device of that user of that application.
  package func isOf(_ application: Name, _ user: UserID, _ device: Name) -> Bool {
    self.application == application && self.user == user && self.device == device
  }

  /// Whether it has ended.
  package func hasEnded(at now: WallTime) -> Bool {
    endsAt.map { $0 <= now } ?? false
  }
}
