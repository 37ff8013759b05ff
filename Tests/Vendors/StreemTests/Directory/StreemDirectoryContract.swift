import GatewayCore
import GatewayKit
import GatewayTokens
import TestSupport
import Testing

@testable import GatewayStreem

extension StoreCase {
  /// Returns a directory with room for `room` of everything.
  fileprivate func make(_ room: Int) throws -> StreemDirectory {
    let limits = StreemDirectoryLimits(
      companies: room, keys: room, users: room, invitations: room, reservations: room, webhooksPerCompany: room)
    return StreemDirectory(try make(), limits: limits)
  }
}

struct StreemDirectoryContract {
  private let now = WallTime(seconds: 1_000)
  private let acme = StreemCompany(code: "acme", sid: "co_1", name: "Acme")

  private func make(_ directory: StoreCase, room: Int = 4) async throws -> StreemDirectory {
    let directory = try directory.make(room)
    try await directory.putCompany(acme, at: now)
    return directory
  }

  private func key(_ id: Name, company: Name = "acme") -> StreemAPIKey {
    StreemAPIKey(id: id, publicKey: [1], company: company, secretHash: [2], createdAt: now)
  }

  private func login(_ name: Name, company: Name = "acme", expert: Bool? = nil) -> StreemLogin {
    StreemLogin(company: company, externalID: name, newID: Name("usr_\(company)_\(name)"), isExpert: expert)
  }

  private func invitation(
    _ sid: String, from start: WallTime, for life: Duration = .seconds(100), by inviter: Name = "usr_1"
  ) -> StreemInvitation {
    StreemInvitation(
      sid: sid, company: "acme", inviter: inviter, toName: "Carl", createdAt: start, expiresAt: start + life)
  }

  private func reservation(_ sid: Name, for life: Duration = .seconds(100)) -> StreemReservation {
    StreemReservation(
      sid: sid, company: "acme", group: "support", externalUserID: "carl", priority: 1, details: [],
      roomSID: "rm_1", createdAt: now, lasts: life)
  }

  private func expect(_ wanted: GatewayError, _ body: () async throws -> some Any) async {
    let error = await #expect(throws: GatewayError.self) { _ = try await body() }
    #expect(error?.isSame(as: wanted) == true)
  }

  @Test(arguments: StoreCase.all)
  func `a company replaces the one that had its code`(_ directory: StoreCase) async throws {
    let directory = try await make(directory)
    #expect(try await directory.company("acme", at: now) == acme)
    var renamed = acme
    renamed.name = "Acme & Sons"
    try await directory.putCompany(renamed, at: now)
    #expect(try await directory.company("acme", at: now) == renamed)
    #expect(try await directory.company("other", at: now) == nil)
    for code in ["a", "b", "c"] {
      try await directory.putCompany(StreemCompany(code: Name(code), sid: code, name: code), at: now)
    }
    await expect(.tooMany) { try await directory.putCompany(StreemCompany(code: "d", sid: "d", name: "d"), at: now) }
    try await directory.putCompany(acme, at: now)
  }

  @Test(arguments: StoreCase.all)
  func `API keys belong to known companies, each id once, and are revoked for ever`(_ directory: StoreCase) async throws
  {
    let directory = try await make(directory)
    try await directory.addAPIKey(key("api_b"), at: now)
    try await directory.addAPIKey(key("api_a"), at: now)
    await expect(.companyUnknown) { try await directory.addAPIKey(key("api_c", company: "other"), at: now) }
    await expect(.invalidParameter) { try await directory.addAPIKey(key("api_a"), at: now) }
    #expect(try await directory.apiKeys(at: now).map(\.id) == ["api_a", "api_b"])
    #expect(try await directory.apiKey("api_a", at: now) == key("api_a"))
    for _ in 0..<2 { #expect(try await directory.revokeAPIKey("api_a", at: now).isRevoked) }
    #expect(try await directory.apiKey("api_a", at: now)?.isRevoked == true)
    #expect(try await directory.apiKey("api_b", at: now)?.isRevoked == false)
    await expect(.invalidParameter) { try await directory.addAPIKey(key("api_a"), at: now) }
    await expect(.notFound) { try await directory.revokeAPIKey("api_c", at: now) }
    for id in ["api_c", "api_d"] as [Name] { try await directory.addAPIKey(key(id), at: now) }
    await expect(.tooMany) { try await directory.addAPIKey(key("api_e"), at: now) }
  }

  @Test(arguments: StoreCase.all)
  func `every process signs for a company with the key that was stored first, until the key is revoked`(
    _ directory: StoreCase
  ) async throws {
    let directory = try await make(directory)
    let settings = StreemSettings()
    func keyring(_ seed: UInt64) -> StreemKeyring {
      StreemKeyring(on: SerialTestExecutor(), directory: directory, settings: settings, secrets: Secrets(seed: seed))
    }
    let first = try await keyring(1).issuer(for: "acme", at: now)
    for start in 0..<3 {
      let other = try await keyring(2 + UInt64(start)).issuer(for: "acme", at: now + .seconds(1e9 * Double(start)))
      #expect(other.apiKey == first.apiKey, "a start retires no key")
    }
    #expect(try await directory.apiKeys(at: now + .seconds(1e10)).map(\.id) == [first.apiKey])
    _ = try await directory.revokeAPIKey(first.apiKey, at: now)
    let next = try await keyring(9).issuer(for: "acme", at: now)
    #expect(next.apiKey != first.apiKey)
    #expect(try await keyring(10).issuer(for: "acme", at: now).apiKey == next.apiKey)
    await expect(.companyUnknown) { _ = try await keyring(11).issuer(for: "nobody", at: now) }
  }

  @Test(arguments: StoreCase.all)
  func `the first login creates a user, and a later one overwrites only what it contains`(
    _ directory: StoreCase
  ) async throws {
    let directory = try await make(directory)
    var first = login("ann", expert: true)
    (first.name, first.email) = ("Ann", "ann@example.com")
    let made = try await directory.identify(first, at: now)
    #expect(made.id == "usr_acme_ann" && made.isExpert && !made.isInvited)
    var second = StreemLogin(company: "acme", externalID: "ann", newID: "usr_else")
    second.name = "Ann Smith"
    let known = try await directory.identify(second, at: now + .seconds(5))
    #expect(known.id == "usr_acme_ann" && known.name == "Ann Smith" && known.email == "ann@example.com")
    #expect(known.isExpert && known.identifiedAt == now + .seconds(5))
    #expect(try await directory.user("usr_acme_ann", at: now) == known)
    #expect(try await directory.user(company: "acme", externalID: "ann", at: now) == known)
    await expect(.companyUnknown) { try await directory.identify(login("ann", company: "other"), at: now) }
  }

  @Test(arguments: StoreCase.all)
  func `users with one name in two companies are separate`(_ directory: StoreCase) async throws {
    let directory = try await make(directory)
    try await directory.putCompany(StreemCompany(code: "other", sid: "co_2", name: "Other"), at: now)
    let one = try await directory.identify(login("ann"), at: now)
    let two = try await directory.identify(login("ann", company: "other"), at: now)
    #expect(one.id != two.id)
    #expect(try await directory.user(company: "other", externalID: "ann", at: now) == two)
    #expect(try await directory.recentlyIdentified(company: "acme", onlyExperts: false, limit: 10, at: now) == [one])
  }

  @Test(arguments: StoreCase.all)
  func `users have bounded room, and known ones are accepted when it is full`(_ directory: StoreCase) async throws {
    let directory = try await make(directory, room: 2)
    for name in ["ann", "bob"] as [Name] { _ = try await directory.identify(login(name), at: now) }
    await expect(.tooMany) { try await directory.identify(login("eve"), at: now) }
    _ = try await directory.identify(login("ann"), at: now)
  }

  @Test(arguments: StoreCase.all)
  func `users that identified lately are listed, the latest first`(_ directory: StoreCase) async throws {
    let directory = try await make(directory)
    for (index, (name, expert)) in ([("ann", true), ("bob", false), ("cat", true)] as [(Name, Bool)]).enumerated() {
      _ = try await directory.identify(login(name, expert: expert), at: now + .seconds(index))
    }
    _ = try await directory.identify(login("ann"), at: now + .seconds(9))
    func names(_ onlyExperts: Bool, _ limit: Int) async throws -> [Name] {
      try await directory.recentlyIdentified(company: "acme", onlyExperts: onlyExperts, limit: limit, at: now).map(
        \.externalID)
    }
    #expect(try await names(false, 10) == ["ann", "cat", "bob"])
    #expect(try await names(true, 10) == ["ann", "cat"])
    #expect(try await names(false, 1) == ["ann"])
  }

  @Test(arguments: StoreCase.all)
  func `an invitation is taken once, before it expires`(_ directory: StoreCase) async throws {
    let directory = try await make(directory)
    let limits = StreemTryLimits()
    let (one, two) = (invitation("inv_1", from: now), invitation("inv_2", from: now))
    #expect(try await directory.addInvitation(one, codeHash: [1], at: now))
    #expect(try await directory.addInvitation(two, codeHash: [1], at: now) == false, "the code is alive")
    func take(_ hash: [UInt8], _ seconds: Int) async throws -> StreemInvitationOutcome {
      try await directory.takeInvitation(codeHash: hash, from: "192.0.2.1", limits: limits, at: now + .seconds(seconds))
    }
    #expect(try await take([1], 99) == .taken(one))
    #expect(try await take([1], 99) == .consumed)
    #expect(try await take([2], 99) == .invalid)
    #expect(try await take([1], 100) == .invalid, "what has expired never was, taken or not")
    #expect(try await directory.addInvitation(two, codeHash: [1], at: now + .seconds(100)))
  }

  @Test(arguments: StoreCase.all)
  func `one of many callers that take an invitation at once gets it`(_ directory: StoreCase) async throws {
    let directory = try await make(directory)
    _ = try await directory.addInvitation(invitation("inv_1", from: now), codeHash: [1], at: now)
    let outcomes = try await withThrowingTaskGroup(of: StreemInvitationOutcome.self) { group in
      for number in 0..<50 {
        group.addTask {
          try await directory.takeInvitation(
            codeHash: [1], from: "192.0.2.\(number)", limits: StreemTryLimits(), at: now)
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(outcomes.count { $0 == .consumed } == 49)
    #expect(outcomes.count { if case .taken = $0 { true } else { false } } == 1)
  }

  @Test(arguments: StoreCase.all)
  func `expired invitations make room for new ones`(_ directory: StoreCase) async throws {
    let directory = try await make(directory, room: 2)
    _ = try await directory.addInvitation(invitation("inv_1", from: now, for: .seconds(10)), codeHash: [1], at: now)
    _ = try await directory.addInvitation(invitation("inv_2", from: now), codeHash: [2], at: now)
    let third = invitation("inv_3", from: now)
    await expect(.tooMany) {
      try await directory.addInvitation(third, codeHash: [3], at: now + .seconds(9))
    }
    #expect(try await directory.addInvitation(third, codeHash: [3], at: now + .seconds(10)))
  }

  @Test(arguments: StoreCase.all)
  func `wrong codes count against the address and against all, and are forgotten after the window`(
    _ directory: StoreCase
  ) async throws {
    let directory = try await make(directory)
    let limits = StreemTryLimits(perAddress: 3, overall: 5, window: .seconds(60))
    _ = try await directory.addInvitation(invitation("inv_1", from: now, for: .seconds(1000)), codeHash: [1], at: now)
    func take(_ hash: [UInt8], _ address: String, _ seconds: Int) async throws -> StreemInvitationOutcome {
      try await directory.takeInvitation(codeHash: hash, from: address, limits: limits, at: now + .seconds(seconds))
    }
    for second in 0..<3 { #expect(try await take([9], "192.0.2.1", second) == .invalid) }
    #expect(try await take([1], "192.0.2.1", 3) == .limited(retryAfter: .seconds(57)), "not even with the right one")
    for second in 4..<6 { #expect(try await take([9], "192.0.2.2", second) == .invalid) }
    #expect(try await take([1], "192.0.2.3", 6) == .limited(retryAfter: .seconds(54)))
    #expect(try await take([1], "192.0.2.1", 60) == .taken(invitation("inv_1", from: now, for: .seconds(1000))))
  }

  @Test(arguments: StoreCase.all)
  func `the addresses of one IPv6 network count as one`(_ directory: StoreCase) async throws {
    let directory = try await make(directory)
    let limits = StreemTryLimits(perAddress: 3, overall: 100, window: .seconds(60))
    var outcomes: [StreemInvitationOutcome] = []
    for host in 1...4 {
      outcomes.append(
        try await directory.takeInvitation(codeHash: [9], from: "2001:db8::\(host)", limits: limits, at: now))
    }
    #expect(outcomes == [.invalid, .invalid, .invalid, .limited(retryAfter: .seconds(60))])
    #expect(
      try await directory.takeInvitation(codeHash: [9], from: "2001:db8:1::1", limits: limits, at: now) == .invalid)
  }

  @Test
  func `an expert has a thousand living invitations at most, which leaves room for others`() async throws {
    let directory = try await make(StoreCase.all[0], room: 2_000)
    func add(_ number: Int, by inviter: Name = "usr_1", at time: WallTime) async throws -> Bool {
      try await directory.addInvitation(
        invitation("inv_\(number)", from: time, by: inviter), codeHash: [UInt8(number >> 8), UInt8(number & 255)],
        at: time)
    }
    for number in 0..<1_000 { #expect(try await add(number, at: now)) }
    await expect(.tooMany) { try await add(1_000, at: now) }
    #expect(try await add(1_001, by: "usr_2", at: now))
    #expect(try await add(1_000, at: now + .seconds(100)))
  }

  @Test(arguments: StoreCase.all)
  func `webhooks of each company are bounded and separate, and keep all keys that are added at once`(
    _ directory: StoreCase
  )
    async throws
  {
    let directory = try await make(directory, room: 2)
    func webhook(_ sid: Name, of company: Name = "acme") -> StreemWebhook {
      StreemWebhook(
        sid: sid, company: company, label: "l", url: "https://a.example/", method: "POST", timeoutMilliseconds: 1,
        attemptsMax: 1)
    }
    for sid: Name in ["wh_2", "wh_1"] { try await directory.addWebhook(webhook(sid), at: now) }
    await expect(.tooMany) { try await directory.addWebhook(webhook("wh_3"), at: now) }
    // Not a company whose name has the same prefix.
    try await directory.addWebhook(webhook("wh_3", of: "acme-2"), at: now)
    #expect(try await directory.webhooks(of: "acme", at: now).map(\.sid) == ["wh_1", "wh_2"])
    #expect(try await directory.webhooks(of: "acme-2", at: now).map(\.sid) == ["wh_3"])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<StreemDirectory.signingKeysMax {
        let key = StreemWebhook.SigningKey(sid: "whk_\(number)", label: "l")
        group.addTask { _ = try await directory.addSigningKey(key, to: "wh_1", of: "acme", at: now) }
      }
      try await group.waitForAll()
    }
    let key = StreemWebhook.SigningKey(sid: "whk_more", label: "l")
    await expect(.tooMany) { try await directory.addSigningKey(key, to: "wh_1", of: "acme", at: now) }
    await expect(.notFound) { try await directory.addSigningKey(key, to: "wh_1", of: "acme-2", at: now) }
    await expect(.notFound) { try await directory.removeWebhook("wh_1", of: "acme-2", at: now) }
    #expect(Set(try await directory.webhooks(of: "acme", at: now)[0].keys.map(\.sid)).count == 10)
    try await directory.removeWebhook("wh_1", of: "acme", at: now)
    await expect(.notFound) { try await directory.removeWebhook("wh_1", of: "acme", at: now) }
    try await directory.addWebhook(webhook("wh_4"), at: now)
  }

  @Test(arguments: StoreCase.all)
  func `a reservation expires in time, and is cancelled before that`(_ directory: StoreCase) async throws {
    let directory = try await make(directory, room: 2)
    try await directory.addReservation(reservation("rsv_1", for: .seconds(10)), at: now)
    try await directory.addReservation(reservation("rsv_2"), at: now)
    await expect(.tooMany) { try await directory.addReservation(reservation("rsv_3"), at: now) }
    #expect(try await directory.reservation("rsv_1", at: now + .seconds(9))?.status == .reserved)
    #expect(try await directory.reservation("rsv_1", at: now + .seconds(10))?.status == .expired)
    #expect(try await directory.cancelReservation("rsv_1", at: now + .seconds(10)).status == .expired)
    #expect(try await directory.cancelReservation("rsv_2", at: now).status == .canceled)
    #expect(try await directory.reservation("rsv_2", at: now + .seconds(1000))?.status == .canceled)
    await expect(.notFound) { try await directory.cancelReservation("rsv_3", at: now) }
    try await directory.addReservation(reservation("rsv_3"), at: now)
  }
}
