import GatewayCore
import TestSupport
import Testing

struct RevocationsTests {
  private let now = WallTime(seconds: 1_000)

  private func token(_ number: UInt64 = 1, of user: String = "ann", issuedAt seconds: Double? = 500) -> VerifiedToken {
    VerifiedToken(
      user: UserID(user), kind: .regular, fingerprint: .number(number),
      issuedAt: seconds.map { WallTime(seconds: $0) })
  }

  /// Revokes, and checks whether the table had room.
  private func expectRevoked(
    _ target: Revocations.Target, in revocations: inout Revocations, at time: WallTime? = nil, isTaken: Bool = true,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let taken = revocations.revoke(target, at: time ?? now)
    #expect(taken == isTaken, sourceLocation: sourceLocation)
  }

  @Test
  func `nothing is revoked at first`() {
    #expect(!Revocations().contains(token()))
    #expect(!Revocations().contains(token(issuedAt: nil)))
  }

  @Test
  func `one token is revoked and others of the user are not`() {
    var revocations = Revocations()
    expectRevoked(.token(.number(1)), in: &revocations)
    #expect(revocations.contains(token(1)))
    #expect(!revocations.contains(token(2)))
  }

  @Test
  func `all tokens of a user issued before a time, or without an issue date, are revoked`() {
    var revocations = Revocations()
    expectRevoked(.user(UserID("ann"), issuedBefore: WallTime(seconds: 600)), in: &revocations)
    #expect(revocations.contains(token(issuedAt: 599)))
    #expect(!revocations.contains(token(issuedAt: 600)))
    #expect(revocations.contains(token(issuedAt: nil)))
    #expect(!revocations.contains(token(of: "bob")))
    expectRevoked(.user(UserID("ann"), issuedBefore: WallTime(seconds: 100)), in: &revocations)
    #expect(revocations.contains(token(issuedAt: 599)), "an earlier time takes nothing back")
  }

  @Test
  func `a revocation of everybody frees the entries of the users it covers, and no others`() {
    var revocations = Revocations(countMax: 2)
    for (user, seconds) in [("ann", 300), ("bob", 700)] as [(String, Double)] {
      expectRevoked(.user(UserID(user), issuedBefore: WallTime(seconds: seconds)), in: &revocations)
    }
    let eve = Revocations.Target.user(UserID("eve"), issuedBefore: WallTime(seconds: 800))
    expectRevoked(eve, in: &revocations, isTaken: false)
    expectRevoked(.everybody(issuedBefore: WallTime(seconds: 300)), in: &revocations)
    expectRevoked(eve, in: &revocations)
    #expect(revocations.contains(token(of: "ann", issuedAt: 299)) && !revocations.contains(token(of: "ann")))
    #expect(revocations.contains(token(of: "bob", issuedAt: 699)) && revocations.contains(token(of: "eve")))
  }

  @Test
  func `all tokens issued before a time are revoked, for every user`() {
    var revocations = Revocations()
    expectRevoked(.everybody(issuedBefore: WallTime(seconds: 600)), in: &revocations)
    expectRevoked(.everybody(issuedBefore: WallTime(seconds: 100)), in: &revocations)
    for user in ["ann", "bob"] {
      #expect(revocations.contains(token(of: user, issuedAt: 599)))
      #expect(!revocations.contains(token(of: user, issuedAt: 600)))
      #expect(revocations.contains(token(of: user, issuedAt: nil)))
    }
  }

  @Test
  func `a revocation changes nothing if everything that it covers is revoked already`() {
    func at(_ seconds: Double) -> WallTime { WallTime(seconds: seconds) }
    let ann = { Revocations.Target.user(UserID("ann"), issuedBefore: at($0)) }
    var revocations = Revocations()
    #expect(revocations.isEmpty && !revocations.covers(.token(.number(1))) && !revocations.covers(ann(1)))
    expectRevoked(.token(.number(1), expiresAt: at(900)), in: &revocations)
    expectRevoked(ann(600), in: &revocations)
    #expect(!revocations.isEmpty && revocations.covers(.token(.number(1))) && !revocations.covers(.token(.number(2))))
    #expect(revocations.covers(ann(600)) && revocations.covers(ann(5)) && !revocations.covers(ann(601)))
    #expect(!revocations.covers(.everybody(issuedBefore: at(5))))
    expectRevoked(.everybody(issuedBefore: at(700)), in: &revocations)
    #expect(revocations.covers(ann(700)) && revocations.covers(.everybody(issuedBefore: at(700))))
    #expect(!revocations.covers(ann(701)) && !revocations.covers(.everybody(issuedBefore: at(701))))
  }

  @Test(arguments: [true, false])
  func `a full table of revocations refuses more, reports it, and forgets none`(isOfUsers: Bool) {
    var revocations = Revocations(countMax: 1_000)
    func target(_ number: Int) -> Revocations.Target {
      isOfUsers
        ? .user(UserID("user \(number)"), issuedBefore: WallTime(seconds: 600)) : .token(.number(UInt64(number)))
    }
    for number in 1...1_000 { expectRevoked(target(number), in: &revocations) }
    expectRevoked(target(1_001), in: &revocations, isTaken: false)
    expectRevoked(target(7), in: &revocations)
    expectRevoked(.everybody(issuedBefore: WallTime(seconds: 1)), in: &revocations)
    func isRevoked(_ number: Int) -> Bool {
      revocations.contains(isOfUsers ? token(0, of: "user \(number)") : token(UInt64(number)))
    }
    #expect((1...1_000).allSatisfy(isRevoked) && !isRevoked(1_001))
  }

  @Test
  func `expired tokens make room in the table of revocations`() {
    var revocations = Revocations(countMax: 3)
    let later = now + .seconds(10)
    expectRevoked(.token(.number(1), expiresAt: later), in: &revocations)
    expectRevoked(.token(.number(2)), in: &revocations)
    expectRevoked(.token(.number(3), expiresAt: later + .seconds(5)), in: &revocations)
    expectRevoked(.token(.number(4)), in: &revocations, isTaken: false)
    expectRevoked(.token(.number(4)), in: &revocations, at: later)
    #expect(!revocations.contains(token(1)))
    #expect([2, 3, 4].allSatisfy { revocations.contains(token($0)) })
  }
}
