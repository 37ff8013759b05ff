package import GatewayCore
internal import GatewayKit

/// What Sinch's service remembers, in the memory of one process: gone when it ends.
///
/// Runs on the executor it is given, so that in a simulated world its answers come in the same order every time.
package actor MemorySinchDirectory: SinchDirectory {
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private static let wrongPasswordsMax = 3

  private let executor: any SerialExecutor
  private let limits: MemorySinchLimits
  private var instances: [Name: SinchInstance] = [:]
  /// No instance ends before this: until then looking for those that have ended is in vain.
  private var earliestEnd = WallTime(nanoseconds: .max)
  /// The ids of each user's instances, oldest first.
  private var ofUser: [SinchUser: [Name]] = [:]
  /// The devices whose registration was limited once.
  private var limited: ForgetfulTable<SinchUserDevice, Bool>
  /// The ids of instances that have ended.
  private var ended: ForgetfulTable<Name, Bool>
  private var nonces: [SinchNonce: NonceMemory] = [:]
  /// No nonce is over before this: until then looking for those that are is in vain.
  private var earliestNonceEnd = WallTime(nanoseconds: .max)
  private var sequences: [SinchUser: UInt64] = [:]
  /// Of accounts, and of names that are none's.
  private var accounts: [UserID: PasswordMemory] = [:]
  private var strangers: ForgetfulTable<UserID, PasswordMemory>

  private struct NonceMemory {
    let device: SinchUserDevice
    let until: WallTime
  }

  private struct PasswordMemory {
    var wrong = 0
    var lockedUntil: WallTime?
  }

  /// An empty directory.
  package init(on executor: any SerialExecutor, limits: MemorySinchLimits = MemorySinchLimits()) {
    self.executor = executor
    self.limits = limits
    limited = ForgetfulTable(capacity: limits.devices)
    ended = ForgetfulTable(capacity: limits.devices)
    strangers = ForgetfulTable(capacity: limits.passwords)
  }

  // MARK: Registration

  package func register(
    _ registration: SinchRegistration, at now: WallTime
  ) throws(SinchRegistrationRefusal) -> SinchInstance {
    let wanted = registration.instance
    let user = SinchUser(application: wanted.application, user: wanted.user)
    let device = SinchUserDevice(user: user, device: wanted.device)
    try check(registration.proof, user, device, at: now)
    if registration.keepsLimits, wanted.endsAt == nil, limited[device] != nil { throw .endRequired }
    let extended = registration.extends.flatMap { alive($0, at: now) }.flatMap {
      $0.isOf(wanted.application, wanted.user, wanted.device) ? $0 : nil
    }
    guard extended != nil || makeRoom(at: now) else { throw .full }

    spend(registration.proof, user, device)
    if let end = wanted.endsAt { earliestEnd = min(earliestEnd, end) }
    if registration.keepsLimits, wanted.endsAt != nil { limited[device] = true }
    guard var instance = extended else {
      // A device acts for a user in one instance.
      for id in ofUser[user] ?? [] where instances[id]?.device == wanted.device { remove(id) }
      if let oldest = ofUser[user]?.first, ofUser[user]?.count ?? 0 >= limits.instancesPerUser { remove(oldest) }
      instances[wanted.id] = wanted
      ofUser[user, default: []].append(wanted.id)
      return wanted
    }
    instance.registeredAt = now
    instance.endsAt = wanted.endsAt
    instance.fingerprint = wanted.fingerprint
    instance.issuedAt = wanted.issuedAt
    instances[instance.id] = instance
    return instance
  }

  private func check(
    _ proof: SinchRegistration.Proof, _ user: SinchUser, _ device: SinchUserDevice, at now: WallTime
  ) throws(SinchRegistrationRefusal) {
    switch proof {
    case .ticket:
      return
    case .sequence(let number):
      guard number > sequences[user] ?? 0 else { throw .sequenceNotIncreasing }
      guard sequences[user] != nil || sequences.count < limits.sequences else { throw .full }
    case .nonce(let text, _, let replay):
      let nonce = SinchNonce(application: user.application, nonce: text)
      if let spent = nonces[nonce], spent.until > now {
        guard replay == .allow || (replay == .sameDevice && spent.device == device) else { throw .nonceReused }
      } else {
        forgetNonces(at: now)
        guard nonces.count < limits.nonces else { throw .full }
      }
    }
  }

  private func spend(_ proof: SinchRegistration.Proof, _ user: SinchUser, _ device: SinchUserDevice) {
    switch proof {
    case .ticket:
      return
    case .sequence(let number):
      sequences[user] = number
    case .nonce(let text, let until, _):
      nonces[SinchNonce(application: user.application, nonce: text)] = NonceMemory(device: device, until: until)
      earliestNonceEnd = min(earliestNonceEnd, until)
    }
  }

  private func forgetNonces(at now: WallTime) {
    guard nonces.count >= limits.nonces, earliestNonceEnd <= now else { return }
    nonces = nonces.filter { $0.value.until > now }
    earliestNonceEnd = nonces.values.map(\.until).min() ?? WallTime(nanoseconds: .max)
  }

  // MARK: Instances

  package func instance(_ id: Name, at now: WallTime) -> SinchInstanceState {
    if let instance = alive(id, at: now) { return .alive(instance) }
    return ended[id] == nil ? .unknown : .ended
  }

  package func instances(of user: UserID, application: Name, at now: WallTime, limit: Int) -> [SinchInstance] {
    let ids = ofUser[SinchUser(application: application, user: user)] ?? []
    return Array(ids.compactMap { alive($0, at: now) }.prefix(limit))
  }

  package func deleteInstance(_ id: Name, at now: WallTime) -> Bool {
    guard alive(id, at: now) != nil else { return false }
    remove(id)
    return true
  }

  /// The instance, deleted now if it has ended.
  private func alive(_ id: Name, at now: WallTime) -> SinchInstance? {
    guard let instance = instances[id] else { return nil }
    guard instance.hasEnded(at: now) else { return instance }
    end(instance)
    return nil
  }

  private func end(_ instance: SinchInstance) {
    remove(instance.id)
    ended[instance.id] = true
  }

  private func remove(_ id: Name) {
    guard let instance = instances.removeValue(forKey: id) else { return }
    let user = SinchUser(application: instance.application, user: instance.user)
    ofUser[user]?.removeAll { $0 == id }
    if ofUser[user]?.isEmpty == true { ofUser[user] = nil }
  }

  /// Whether one more instance fits, those that have ended deleted if need be.
  private func makeRoom(at now: WallTime) -> Bool {
    if instances.count >= limits.instances, earliestEnd <= now {
      for instance in instances.values.filter({ $0.hasEnded(at: now) }).sorted(by: { $0.id < $1.id }) { end(instance) }
      earliestEnd = instances.values.lazy.compactMap(\.endsAt).min() ?? WallTime(nanoseconds: .max)
    }
    return instances.count < limits.instances
  }

  // MARK: Passwords

  package func tryPassword(
    isRight: Bool, of user: UserID, isKnown: Bool, at now: WallTime, lock: Duration
  ) -> Bool {
    let before = isKnown ? accounts[user] : strangers[user]
    if let until = before?.lockedUntil, now < until { return false }
    var after: PasswordMemory?
    if !isRight {
      let wrong = (before?.wrong ?? 0) + 1
      after = wrong < Self.wrongPasswordsMax ? PasswordMemory(wrong: wrong) : PasswordMemory(lockedUntil: now + lock)
    }
    if isKnown { accounts[user] = after } else { strangers[user] = after }
    return true
  }
}

/// A user of one application.
private struct SinchUser: Hashable {
  let application: Name
  let user: UserID
}

private struct SinchUserDevice: Hashable {
  let user: SinchUser
  let device: Name
}

private struct SinchNonce: Hashable {
  let application: Name
  let nonce: Name
}
