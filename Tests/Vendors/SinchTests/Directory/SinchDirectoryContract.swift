import GatewayCore
import GatewayKit
import TestSupport
import TestTraits
import Testing

@testable import GatewaySinch

extension StoreCase {
  /// Returns a directory with room for `room` of everything.
  fileprivate func make(_ room: Int) throws -> SinchDirectory {
    let limits = SinchDirectoryLimits(
      instances: room, nonces: room, sequences: room, devices: max(room, 4), passwords: room)
    return SinchDirectory(try make(), limits: limits, seed: 1)
  }
}

struct SinchDirectoryContract {
  private let alice = UserID("alice")
  private let now = WallTime(seconds: 1_000)

  private func instance(
    _ id: Name = "i1", user: String = "alice", application: Name = "app", device: Name = "d1",
    endsAt: Int? = nil, at: Int = 1_000
  ) -> SinchInstance {
    SinchInstance(
      id: id, application: application, user: UserID(user), kind: .regular, device: device, secretHash: [1],
      createdAt: WallTime(seconds: Double(at)), endsAt: endsAt.map { WallTime(seconds: Double($0)) },
      fingerprint: .number(1), issuedAt: now)
  }

  private func nonce(
    _ nonce: Name, _ instance: SinchInstance, until: Int = 2_000, _ replay: SinchNonceReplay = .reject,
    extends: Name? = nil, keepsLimits: Bool = true
  ) -> SinchRegistration {
    SinchRegistration(
      proof: .nonce(nonce, until: WallTime(seconds: Double(until)), replay: replay), instance: instance,
      extends: extends, keepsLimits: keepsLimits)
  }

  private func sequence(_ number: UInt64, _ instance: SinchInstance) -> SinchRegistration {
    SinchRegistration(proof: .sequence(number), instance: instance, keepsLimits: false)
  }

  @Test(arguments: StoreCase.all)
  func `an instance is created, and known until it is deleted`(_ directory: StoreCase) async throws {
    let directory = try directory.make(4)
    #expect(try await directory.instance("i1", at: now) == nil)
    let made = try await directory.register(nonce("n1", instance()), at: now)
    #expect(made == instance())
    #expect(try await directory.instance("i1", at: now) == made)
    #expect(try await directory.instances(of: alice, application: "app", at: now, limit: 5) == [made])
    #expect(try await directory.instances(of: alice, application: "other", at: now, limit: 5) == [])
    #expect(try await directory.deleteInstance("i1", at: now))
    #expect(try await directory.deleteInstance("i1", at: now) == false)
    #expect(try await directory.instance("i1", at: now) == nil)
  }

  @Test(arguments: StoreCase.all)
  func `the living instance of the same device is extended, and no other`(_ directory: StoreCase) async throws {
    let directory = try directory.make(8)
    _ = try await directory.register(nonce("n1", instance(endsAt: 5_000)), at: now)
    let later = now + .seconds(100)
    let extended = try await directory.register(nonce("n2", instance("i2", endsAt: 9_000), extends: "i1"), at: later)
    #expect(extended.id == "i1" && extended.createdAt == now && extended.registeredAt == later)
    #expect(extended.endsAt == WallTime(seconds: 9_000))
    let other = try await directory.register(
      nonce("n3", instance("i3", device: "d2", endsAt: 9_000), extends: "i1"), at: later)
    #expect(other.id == "i3")
    let stranger = try await directory.register(nonce("n4", instance("i4", user: "bob"), extends: "i1"), at: later)
    #expect(stranger.id == "i4")
  }

  @Test(arguments: StoreCase.all)
  func `a device that registers again has one instance, the new one`(_ directory: StoreCase) async throws {
    let directory = try directory.make(2)
    for number in 1...5 {
      _ = try await directory.register(
        nonce(Name("n\(number)"), instance(Name("i\(number)")), until: 1_001), at: now + .seconds(number))
    }
    #expect(try await directory.instance("i4", at: now) == nil)
    #expect(try await directory.instances(of: alice, application: "app", at: now, limit: 9).map(\.id) == ["i5"])
  }

  @Test(arguments: StoreCase.all)
  func `an instance is deleted at its end, and its end is remembered`(_ directory: StoreCase) async throws {
    let directory = try directory.make(4)
    _ = try await directory.register(nonce("n1", instance(endsAt: 1_010)), at: now)
    #expect(try await !directory.hasEnded("i1", of: "app", alice, "d1", at: now + .nanoseconds(9_999_999_999)))
    #expect(try await directory.hasEnded("i1", of: "app", alice, "d1", at: now + .seconds(10)))
    #expect(try await directory.instances(of: alice, application: "app", at: now + .seconds(10), limit: 5) == [])
    let anew = try await directory.register(
      nonce("n2", instance("i2", endsAt: 2_000), extends: "i1"), at: now + .seconds(10))
    #expect(anew.id == "i2")
  }

  @Test(arguments: StoreCase.all)
  func `a limited device stays limited, and other devices are not`(_ directory: StoreCase) async throws {
    let directory = try directory.make(8)
    _ = try await directory.register(nonce("n1", instance(endsAt: 1_010)), at: now)
    for at in [now, now + .seconds(500)] {
      await expect(.endRequired) { try await directory.register(nonce("n2", instance("i2")), at: at) }
    }
    // The refused registration used up nothing.
    _ = try await directory.register(nonce("n2", instance("i2", endsAt: 3_000)), at: now)
    _ = try await directory.register(nonce("n3", instance("i3", device: "d2")), at: now)
    _ = try await directory.register(nonce("n4", instance("i4", user: "bob")), at: now)
    _ = try await directory.register(nonce("n5", instance("i5", application: "other")), at: now)
  }

  @Test(arguments: StoreCase.all)
  func `a nonce can be used once in each application, until it expires`(_ directory: StoreCase) async throws {
    let directory = try directory.make(8)
    _ = try await directory.register(nonce("n1", instance()), at: now)
    await expect(.nonceReused) { try await directory.register(nonce("n1", instance("i2")), at: now) }
    await expect(.nonceReused) {
      try await directory.register(nonce("n1", instance("i2", user: "bob")), at: now + .seconds(999))
    }
    _ = try await directory.register(nonce("n1", instance("i3", application: "other")), at: now)
    _ = try await directory.register(nonce("n1", instance("i4"), until: 9_000), at: WallTime(seconds: 2_000))
  }

  @Test(arguments: StoreCase.all)
  func `a replayed nonce is accepted for the same device or for all, as the setting says`(_ directory: StoreCase)
    async throws
  {
    let directory = try directory.make(8)
    _ = try await directory.register(nonce("n1", instance(), .sameDevice), at: now)
    _ = try await directory.register(nonce("n1", instance("i2"), .sameDevice), at: now)
    for other in [instance("i3", device: "d2"), instance("i3", user: "bob")] {
      await expect(.nonceReused) { try await directory.register(nonce("n1", other, .sameDevice), at: now) }
    }
    _ = try await directory.register(nonce("n1", instance("i3", device: "d2"), .allow), at: now)
  }

  @Test(arguments: StoreCase.all)
  func `a sequence rises for each application and user`(_ directory: StoreCase) async throws {
    let directory = try directory.make(8)
    for number: UInt64 in [1, 5, .max] {
      _ = try await directory.register(sequence(number, instance()), at: now)
      await expect(.sequenceNotIncreasing) {
        try await directory.register(sequence(number, instance(device: "d2")), at: now)
      }
    }
    _ = try await directory.register(sequence(2, instance("i2", user: "bob")), at: now)
    _ = try await directory.register(sequence(2, instance("i3", application: "other")), at: now)
    await expect(.sequenceNotIncreasing) {
      try await directory.register(sequence(0, instance("i4", user: "eve")), at: now)
    }
  }

  @Test(arguments: StoreCase.all)
  func `a full table refuses a new entry, and makes room by removing expired ones`(_ directory: StoreCase) async throws
  {
    let directory = try directory.make(2)
    _ = try await directory.register(nonce("n1", instance("i1", endsAt: 1_500), until: 1_010), at: now)
    _ = try await directory.register(nonce("n2", instance("i2", user: "bob"), until: 1_010), at: now)
    await expect(.full) { try await directory.register(nonce("n3", instance("i3", user: "eve")), at: now) }
    let later = now + .seconds(10)
    await expect(.full) { try await directory.register(nonce("n3", instance("i3", user: "eve")), at: later) }
    _ = try await directory.register(nonce("n3", instance("i3", user: "eve")), at: now + .seconds(500))
    #expect(try await directory.instance("i2", at: later) != nil)
    #expect(try await directory.hasEnded("i1", of: "app", alice, "d1", at: now + .seconds(500)))
  }

  @Test(arguments: StoreCase.all)
  func `one of many callers that present a nonce at once is accepted`(_ directory: StoreCase) async throws {
    let directory = try directory.make(200)
    let accepted = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<100 {
        group.addTask {
          (try? await directory.register(nonce("n", instance(Name("i\(number)"), user: "u\(number)")), at: now)) != nil
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(accepted == 1)
  }

  @Test(.long, arguments: StoreCase.all)
  func `an account is locked for a while after three wrong passwords in a row`(_ directory: StoreCase) async throws {
    let directory = try directory.make(4)
    func isLookedAt(
      _ isRight: Bool, _ at: WallTime, of user: UserID = UserID("alice"), isKnown: Bool = true
    ) async throws -> Bool {
      try await directory.tryPassword(isRight: isRight, of: user, isKnown: isKnown, at: at, lock: .seconds(300))
    }
    for isRight in [false, false, true, false, false, false] { #expect(try await isLookedAt(isRight, now)) }
    for isRight in [true, false] { #expect(try await !isLookedAt(isRight, now + .nanoseconds(299_999_999_999))) }
    #expect(try await isLookedAt(false, now, of: UserID("bob")))
    // Unknown names are locked as well, and displace no account's lock.
    for number in 0..<100 {
      for _ in 0..<3 { #expect(try await isLookedAt(false, now, of: UserID("x\(number)"), isKnown: false)) }
      #expect(try await !isLookedAt(false, now, of: UserID("x\(number)"), isKnown: false))
    }
    #expect(try await !isLookedAt(true, now))
    #expect(try await isLookedAt(true, now + .seconds(300)))
  }

  @Test(.long, arguments: StoreCase.all)
  func `a user's oldest instance makes room for one too many, and no other user's does`(_ directory: StoreCase)
    async throws
  {
    let directory = try directory.make(1_000)
    _ = try await directory.register(nonce("bob", instance("bob", user: "bob")), at: now)
    for number in 0..<101 {
      _ = try await directory.register(
        nonce(Name("n\(number)"), instance(Name("i\(number)"), device: Name("d\(number)"))), at: now)
    }
    let left = try await directory.instances(of: alice, application: "app", at: now, limit: 1_000)
    #expect(left.count == 100 && left.first?.id == "i1" && left.last?.id == "i100")
    #expect(try await directory.instance("bob", at: now) != nil)
  }

  private func expect(_ refusal: SinchRefusal, _ body: () async throws -> some Any) async {
    await #expect(throws: refusal) { _ = try await body() }
  }
}
