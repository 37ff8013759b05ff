import GatewayCore
import TestSupport
import Testing

@Suite("Revocations")
struct RevocationsTests {
  private let now = WallTime(seconds: 1_000)

  private func token(_ number: UInt64 = 1, of user: String = "ann", issuedAt seconds: Double? = 500) -> VerifiedToken {
    VerifiedToken(
      user: UserID(user), kind: .regular, fingerprint: .number(number),
      issuedAt: seconds.map { WallTime(seconds: $0) })
  }

  @Test("nothing is revoked at first")
  func empty() {
    #expect(!Revocations().contains(token()))
    #expect(!Revocations().contains(token(issuedAt: nil)))
  }

  @Test("one token is revoked and others of the user are not")
  func oneToken() {
    var revocations = Revocations()
    revocations.revoke(.token(.number(1)), at: now)
    #expect(revocations.contains(token(1)))
    #expect(!revocations.contains(token(2)))
  }

  @Test("all tokens of a user issued before a time, or without an issue date, are revoked")
  func user() {
    var revocations = Revocations()
    revocations.revoke(.user(UserID("ann"), issuedBefore: WallTime(seconds: 600)), at: now)
    #expect(revocations.contains(token(issuedAt: 599)))
    #expect(!revocations.contains(token(issuedAt: 600)))
    #expect(revocations.contains(token(issuedAt: nil)))
    #expect(!revocations.contains(token(of: "bob")))
    revocations.revoke(.user(UserID("ann"), issuedBefore: WallTime(seconds: 100)), at: now)
    #expect(revocations.contains(token(issuedAt: 599)), "an earlier time takes nothing back")
  }

  @Test("all tokens issued before a time are revoked, whoever has them")
  func everybody() {
    var revocations = Revocations()
    revocations.revoke(.everybody(issuedBefore: WallTime(seconds: 600)), at: now)
    revocations.revoke(.everybody(issuedBefore: WallTime(seconds: 100)), at: now)
    for user in ["ann", "bob"] {
      #expect(revocations.contains(token(of: user, issuedAt: 599)))
      #expect(!revocations.contains(token(of: user, issuedAt: 600)))
      #expect(revocations.contains(token(of: user, issuedAt: nil)))
    }
  }

  @Test("the tables are bounded, and the oldest is forgotten first", arguments: [true, false])
  func bounded(isOfUsers: Bool) {
    var revocations = Revocations()
    let count = Revocations.countMax + 2
    for number in 1...count {
      let target: Revocations.Target =
        isOfUsers
        ? .user(UserID("user \(number)"), issuedBefore: WallTime(seconds: 600)) : .token(.number(UInt64(number)))
      revocations.revoke(target, at: now)
      // Again: it counts once.
      if number % 1_000 == 0 { revocations.revoke(target, at: now) }
    }
    func isRevoked(_ number: Int) -> Bool {
      revocations.contains(isOfUsers ? token(0, of: "user \(number)") : token(UInt64(number)))
    }
    #expect(!isRevoked(1) && !isRevoked(2))
    #expect(isRevoked(3) && isRevoked(count))
  }
}
