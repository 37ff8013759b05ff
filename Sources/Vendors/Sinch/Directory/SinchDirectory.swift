internal import GatewayCore
internal import GatewayKit

/// The directory of Sinch's service: instances (a device acting for a user), nonces of accepted tokens, sequence
/// numbers of legacy signatures, and wrong passwords.
///
/// Each operation is atomic, and its answer reflects every operation that its caller knew to be complete. An ended
/// instance counts as deleted, and an expired nonce is forgotten. A full table throws ``SinchRefusal/full`` and loses
/// nothing; an unavailable store throws ``SinchRefusal/storeUnavailable``. If a user has the maximum number of
/// instances, a new one replaces the oldest.
struct SinchDirectory: Sendable {
  private static let instances = StoreTable<SinchInstance>("sinch.instance")
  private static let users = StoreTable<SinchUserRow>("sinch.user")
  private static let devices = StoreTable<SinchDeviceRow>("sinch.device")
  private static let nonces = StoreTable<SinchNonceRow>("sinch.nonce")
  private static let sequences = StoreTable<SinchSequenceRow>("sinch.sequence")
  /// How long a limited device is remembered after the end of its instance.
  private static let limitMemory = Duration.seconds(400 * 86_400)
  /// How long the end of an instance is remembered.
  private static let endMemory = Duration.seconds(30 * 86_400)

  private typealias Transaction = StoreTransaction<StoreOr<SinchRefusal>>

  let store: any Store
  let limits: SinchDirectoryLimits
  /// A secret random number.
  let seed: UInt64

  /// Creates a directory in `store`.
  init(_ store: any Store, limits: SinchDirectoryLimits = SinchDirectoryLimits(), seed: UInt64) {
    self.store = store
    self.limits = limits
    self.seed = seed
  }

  // MARK: Registration

  /// Checks a registration against the directory, in this order: its nonce or sequence, then whether it must have an
  /// end. If a check fails, changes nothing. Otherwise uses up the nonce or sequence, and extends the valid instance
  /// that the registration names or replaces the device's instance by a new one.
  func register(
    _ registration: SinchRegistration, at now: WallTime
  ) async throws(SinchRefusal) -> SinchInstance {
    for notesDevice in [true, false] {
      do throws(StoreOr<SinchRefusal>) {
        return try await store.transact(at: now) {
          (transaction: inout Transaction) async throws(StoreOr<SinchRefusal>) -> SinchInstance in
          try await register(registration, in: &transaction, notesDevice: notesDevice, at: now)
        }
      } catch .store(.full(let count)) where notesDevice && [devices(true), devices(false)].contains(count) {
        // There is no room to remember this device; it registers nevertheless.
        continue
      } catch {
        throw error.failure
      }
    }
    throw .full
  }

  private func register(
    _ registration: SinchRegistration, in transaction: inout Transaction, notesDevice: Bool, at now: WallTime
  ) async throws(StoreOr<SinchRefusal>) -> SinchInstance {
    let wanted = registration.instance
    let (application, user) = (wanted.application.text, wanted.user.rawValue)
    let userKey = Self.users.key(application, user)
    let deviceKey = Self.devices.key(application, user, wanted.device.text)
    var keys = [userKey, deviceKey]
    if let id = registration.extends { keys.append(Self.instances.key(id.text)) }
    let found = try await transaction.read(keys)
    let device = try transaction.value(found[1], as: SinchDeviceRow.self)
    var old: SinchInstance?
    if found.count > 2 { old = try transaction.value(found[2], as: SinchInstance.self) }

    try await spend(registration.proof, of: wanted, in: &transaction)
    if registration.keepsLimits, wanted.endsAt == nil, device?.isLimited == true { throw .failure(.endRequired) }

    var held = try transaction.value(found[0], as: SinchUserRow.self) ?? SinchUserRow(instances: [])
    held.instances.removeAll { $0.endsAt.map { $0 <= now } ?? false }
    var instance = wanted
    if let old, old.isOf(wanted.application, wanted.user, wanted.device) {
      instance = old
      instance.registeredAt = now
      instance.endsAt = wanted.endsAt
      instance.fingerprint = wanted.fingerprint
      instance.issuedAt = wanted.issuedAt
      for place in held.instances.indices where held.instances[place].id == instance.id {
        held.instances[place].endsAt = instance.endsAt
      }
    } else {
      // A device acts for a user in one instance only.
      var leaving = held.instances.filter { $0.device == wanted.device }
      held.instances.removeAll { $0.device == wanted.device }
      if held.instances.count >= limits.instancesPerUser { leaving.append(held.instances.removeFirst()) }
      for gone in leaving { try await forget(gone, of: wanted, in: &transaction) }
      held.instances.append(.init(id: wanted.id, device: wanted.device, endsAt: wanted.endsAt))
    }
    let count = StoreCount("sinch.instances", atMost: limits.instances, of: "instances")
    transaction.put(Self.instances.key(instance.id.text), instance, expires: instance.endsAt, in: [count])
    transaction.put(userKey, held, expires: held.endsAt)
    guard notesDevice else { return instance }
    if let end = instance.endsAt {
      let isLimited = registration.keepsLimits || device?.isLimited == true
      put(SinchDeviceRow(isLimited: isLimited, instance: instance.id, endsAt: end), at: deviceKey, in: &transaction)
    } else if var device {
      device.instance = nil
      put(device, at: deviceKey, in: &transaction)
    }
    return instance
  }

  /// Deletes an instance to make room for another.
  private func forget(
    _ held: SinchUserRow.Held, of wanted: SinchInstance, in transaction: inout Transaction
  ) async throws(StoreOr<SinchRefusal>) {
    transaction.delete(Self.instances.key(held.id.text))
    guard held.device != wanted.device else { return }
    try await forgetInstance(of: wanted.application, wanted.user, held.device, in: &transaction)
  }

  /// Removes the instance from its device, which is still remembered as limited.
  private func forgetInstance(
    of application: Name, _ user: UserID, _ device: Name, in transaction: inout Transaction
  ) async throws(StoreOr<SinchRefusal>) {
    let key = Self.devices.key(application.text, user.rawValue, device.text)
    guard var row = try await transaction.get(key, as: SinchDeviceRow.self) else { return }
    row.instance = nil
    put(row, at: key, in: &transaction)
  }

  private func put(_ row: SinchDeviceRow, at key: StoreKey, in transaction: inout Transaction) {
    let memory = row.isLimited ? Self.limitMemory : Self.endMemory
    transaction.put(key, row, expires: row.endsAt + memory, in: [devices(row.isLimited)])
  }

  /// Returns the count of limited or of other devices. They are counted separately, so that others never displace
  /// limited ones.
  private func devices(_ areLimited: Bool) -> StoreCount {
    StoreCount(areLimited ? "sinch.limited" : "sinch.devices", atMost: limits.devices, of: "devices")
  }

  private func spend(
    _ proof: SinchRegistration.Proof, of wanted: SinchInstance, in transaction: inout Transaction
  ) async throws(StoreOr<SinchRefusal>) {
    switch proof {
    case .ticket:
      return
    case .sequence(let number):
      let key = Self.sequences.key(wanted.application.text, wanted.user.rawValue)
      let last = try await transaction.get(key, as: SinchSequenceRow.self)?.number ?? 0
      guard number > last else { throw .failure(.sequenceNotIncreasing) }
      let count = StoreCount("sinch.sequences", atMost: limits.sequences, of: "sequence numbers")
      transaction.put(key, SinchSequenceRow(number: number), in: [count])
    case .nonce(let text, let until, let replay):
      let key = Self.nonces.key(wanted.application.text, text.text)
      if let spent = try await transaction.get(key, as: SinchNonceRow.self) {
        let isSame = spent.user == wanted.user && spent.device == wanted.device
        guard replay == .allow || (replay == .sameDevice && isSame) else { throw .failure(.nonceReused) }
      }
      let row = SinchNonceRow(user: wanted.user, device: wanted.device)
      let count = StoreCount("sinch.nonces", atMost: limits.nonces, of: "nonces")
      transaction.put(key, row, expires: until, in: [count])
    }
  }

  // MARK: Instances

  /// Returns the instance; nil if it is not valid at `now`.
  func instance(_ id: Name, at now: WallTime) async throws(SinchRefusal) -> SinchInstance? {
    try await SinchRefusal.asking { () async throws(StoreError) in
      try await store.get(Self.instances.key(id.text), as: SinchInstance.self, at: now)
    }
  }

  /// Returns whether that device's last instance had that id and has ended recently.
  func hasEnded(
    _ id: Name, of application: Name, _ user: UserID, _ device: Name, at now: WallTime
  ) async throws(SinchRefusal) -> Bool {
    let key = Self.devices.key(application.text, user.rawValue, device.text)
    let row = try await SinchRefusal.asking { () async throws(StoreError) in
      try await store.get(key, as: SinchDeviceRow.self, at: now)
    }
    return row.map { $0.instance == id && $0.endsAt <= now } ?? false
  }

  /// Returns the user's valid instances, oldest first, at most `limit`.
  func instances(
    of user: UserID, application: Name, at now: WallTime, limit: Int
  ) async throws(SinchRefusal) -> [SinchInstance] {
    try await SinchRefusal.asking { () async throws(StoreError) in
      let key = Self.users.key(application.text, user.rawValue)
      guard let held = try await store.get(key, as: SinchUserRow.self, at: now)?.instances else { return [] }
      let keys = held.prefix(limit).map { Self.instances.key($0.id.text) }
      var instances: [SinchInstance] = []
      for entry in try await store.read(keys, at: now) {
        if let entry { instances.append(try entry.value(as: SinchInstance.self)) }
      }
      return instances
    }
  }

  /// Deletes an instance; returns false if there is none.
  func deleteInstance(_ id: Name, at now: WallTime) async throws(SinchRefusal) -> Bool {
    do throws(StoreOr<SinchRefusal>) {
      return try await store.transact(at: now) {
        (transaction: inout Transaction) async throws(StoreOr<SinchRefusal>) -> Bool in
        let key = Self.instances.key(id.text)
        guard let instance = try await transaction.get(key, as: SinchInstance.self) else { return false }
        let userKey = Self.users.key(instance.application.text, instance.user.rawValue)
        var held = try await transaction.get(userKey, as: SinchUserRow.self) ?? SinchUserRow(instances: [])
        held.instances.removeAll { $0.id == id }
        transaction.delete(key)
        if held.instances.isEmpty {
          transaction.delete(userKey)
        } else {
          transaction.put(userKey, held, expires: held.endsAt)
        }
        try await forgetInstance(of: instance.application, instance.user, instance.device, in: &transaction)
        return true
      }
    } catch {
      throw error.failure
    }
  }
}
