internal import GatewayCore
internal import GatewayKit

/// A store that does none of a process's commits once another process has declared it dead. A process that was stopped for
/// longer than its lease lasts is one.
struct FencedStore: ForwardingStore {
  let inner: any Store
  private let lease: NodeLease

  init(_ inner: any Store, _ lease: NodeLease) {
    (self.inner, self.lease) = (inner, lease)
  }

  func commit(_ commit: StoreCommit, at now: WallTime) async throws(StoreError) -> Bool {
    var fenced = commit
    fenced.checks.append(lease.check)
    if try await inner.commit(fenced, at: now) { return true }
    // A row of the commit has changed, or the fence.
    guard try await lease.register.fenceCheck(of: lease.life, at: now)?.version == lease.check.version else {
      lease.lose()
      throw .unavailable("this process counts as dead: it did not renew its lease, and others have ended what it had")
    }
    return false
  }
}
