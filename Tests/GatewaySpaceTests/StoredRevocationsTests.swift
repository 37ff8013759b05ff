import GatewayCore
import GatewayKit
import GatewayRuntime
import TestSupport
import TestTraits
import Testing

@testable import GatewaySpace

struct StoredRevocationsTests {
  private let now = WallTime(seconds: 1_000)

  private func user(_ name: String, before seconds: Double) -> Revocations.Target {
    .user(UserID(name), issuedBefore: WallTime(seconds: seconds))
  }

  @Test(arguments: StoreCase.all)
  func `a revocation of everybody frees the rows of the users it covers, and no other`(_ engine: StoreCase) async throws
  {
    let kept = StoredRevocations(try engine.make(), countMax: 2)
    try await kept.keep(user("ann", before: 300), at: now)
    try await kept.keep(user("bob", before: 700), at: now)
    let error = await #expect(throws: GatewayError.self) { try await kept.keep(user("eve", before: 800), at: now) }
    #expect(error?.isSame(as: .tooMany) == true)
    let everybody = Revocations.Target.everybody(issuedBefore: WallTime(seconds: 300))
    try await kept.keep(everybody, at: now)
    try await kept.keep(user("eve", before: 800), at: now)
    #expect(try await kept.all(at: now).targets == [user("bob", before: 700), user("eve", before: 800), everybody])
  }

  @Test(.long, arguments: StoreCase.all)
  func `a revocation of everybody covers all users, however many there are`(_ engine: StoreCase) async throws {
    let kept = StoredRevocations(try engine.make(), countMax: 5_000)
    for number in 0..<2_500 { try await kept.keep(user("user \(number)", before: 300), at: now) }
    let everybody = Revocations.Target.everybody(issuedBefore: WallTime(seconds: 301))
    try await kept.keep(everybody, at: now)
    #expect(try await kept.all(at: now).targets == [everybody])
  }
}
