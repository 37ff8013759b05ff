internal import GatewayCore
internal import GatewayKit
internal import GatewayRuntime
internal import Synchronization

/// Tells a gateway what is revoked in its store, by whichever process.
///
/// Each of its functions is called by one task at a time.
final class RevocationFeed: Sendable {
  private let stored: StoredRevocations
  private let gateway: Gateway
  /// The version of what the gateway knows.
  private let known = Mutex(StoreVersion.absent)

  init(_ stored: StoredRevocations, to gateway: Gateway) {
    (self.stored, self.gateway) = (stored, gateway)
  }

  /// Has the gateway remember what was revoked before it began.
  func begin(at now: WallTime) async throws(GatewayError) {
    let version = try await stored.version(at: now)
    await gateway.remember(try await stored.all(at: now))
    known.withLock { $0 = version }
  }

  /// Has the gateway do what was revoked since. If that throws, the next call does it.
  func learn(at now: WallTime) async throws(GatewayError) {
    // A revocation during this read has a later version, and is read by the next call.
    let version = try await stored.version(at: now)
    guard version != known.withLock({ $0 }) else { return }
    try await stored.visit(at: now) { [gateway] kept in await gateway.learn(kept) }
    known.withLock { $0 = version }
  }
}
