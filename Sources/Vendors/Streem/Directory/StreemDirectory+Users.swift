internal import GatewayCore
internal import GatewayKit

extension StreemDirectory {
  private static let users = StoreTable<StreemUser>("streem.user")
  private static let places = StoreTable<StreemUserPlace>("streem.user-place")
  private static let recent = StoreTable<StreemRecentRow>("streem.recent")

  /// Creates the user at the first login, and updates it at later ones: properties that are missing stay. Throws
  /// `GatewayError.companyUnknown`.
  func identify(_ login: StreemLogin, at now: WallTime) async throws(GatewayError) -> StreemUser {
    let count = StoreCount("streem.users", atMost: limits.users, of: "users")
    return try await store.transact(at: now) {
      (transaction: inout Transaction) async throws(GatewayError) -> StreemUser in
      let key = Self.users.key(login.company.text, login.externalID.text)
      let found = try await transaction.read([Self.companies.key(login.company.text), key])
      guard found[0] != nil else { throw .companyUnknown }
      let known = try transaction.value(found[1], as: StreemUser.self)
      var user =
        known ?? StreemUser(id: login.newID, externalID: login.externalID, company: login.company, identifiedAt: now)
      user.name = login.name ?? user.name
      user.email = login.email ?? user.email
      user.avatarURL = login.avatarURL ?? user.avatarURL
      user.isExpert = login.isExpert ?? user.isExpert
      user.invitedBy = user.invitedBy ?? login.invitedBy
      user.identifiedAt = now
      transaction.put(key, user, in: [count])
      if let known {
        transaction.delete(Self.recentKey(known))
      } else {
        let place = StreemUserPlace(company: user.company, externalID: user.externalID)
        transaction.put(Self.places.key(user.id.text), place)
      }
      transaction.put(Self.recentKey(user), StreemRecentRow(externalID: user.externalID))
      return user
    }
  }

  /// Returns the user with that id in any company; nil if there is none.
  func user(_ id: Name, at now: WallTime) async throws(GatewayError) -> StreemUser? {
    let place: StreemUserPlace? = try await get(Self.places.key(id.text), at: now)
    guard let place else { return nil }
    return try await user(company: place.company, externalID: place.externalID, at: now)
  }

  /// Returns the company's user with that external id; nil if there is none.
  func user(
    company code: Name, externalID: Name, at now: WallTime
  ) async throws(GatewayError) -> StreemUser? {
    try await get(Self.users.key(code.text, externalID.text), at: now)
  }

  /// Returns the company's users who identified last, latest first, at most `limit`.
  func recentlyIdentified(
    company code: Name, onlyExperts: Bool, limit: Int, at now: WallTime
  ) async throws(GatewayError) -> [StreemUser] {
    do throws(StoreError) {
      var users: [StreemUser] = []
      for isExpert in onlyExperts ? [true] : [true, false] {
        let range = Self.recent.range(code.text, Self.kind(isExpert))
        var keys: [StoreKey] = []
        for entry in try await store.scan(range, limit: limit, at: now) {
          keys.append(Self.users.key(code.text, try entry.value(as: StreemRecentRow.self).externalID.text))
        }
        for entry in try await store.read(keys, at: now) {
          if let entry { users.append(try entry.value(as: StreemUser.self)) }
        }
      }
      users.sort { ($1.identifiedAt, $0.id) < ($0.identifiedAt, $1.id) }
      return Array(users.prefix(limit))
    } catch {
      throw GatewayError(error)
    }
  }

  /// Returns the key of a user within the company, with experts separately: the latest to identify sorts first.
  private static func recentKey(_ user: StreemUser) -> StoreKey {
    recent.key(user.company.text, kind(user.isExpert), latestFirst(user.identifiedAt), user.id.text)
  }

  private static func kind(_ isExpert: Bool) -> String {
    isExpert ? "expert" : "customer"
  }

  /// Returns a key part that sorts later times first.
  static func latestFirst(_ time: WallTime) -> String {
    let digits = String(UInt64(bitPattern: .max - max(0, time.nanoseconds)), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
