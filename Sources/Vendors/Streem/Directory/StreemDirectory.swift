package import GatewayCore
package import GatewayKit

/// The memory of a Streem platform: companies, their API keys and users, invitations, reservations and webhooks; that a
/// key was revoked, for instance.
///
/// Each operation is atomic; an answer reflects every operation whose answer its caller had already seen; what has expired
/// is as if it had never been; a full table throws `GatewayError.tooMany` and loses nothing; a store that is away throws
/// `GatewayError.storeUnavailable`; of a key only the public half is ever kept, of an invitation's code only the hash.
package struct StreemDirectory: Sendable {
  static let companies = StoreTable<StreemCompany>("streem.company")
  private static let keys = StoreTable<StreemAPIKey>("streem.key")
  private static let ownKeys = StoreTable<StreemOwnKeyRow>("streem.own-key")
  /// The keys of earlier lives that are kept, so that a gateway that is started again and again fills no table.
  private static let retiredKeysMax = 100

  typealias Transaction = StoreTransaction<GatewayError>

  let store: any Store
  let limits: StreemDirectoryLimits
  let tries = StreemTries()

  /// What `store` remembers.
  package init(_ store: any Store, limits: StreemDirectoryLimits = StreemDirectoryLimits()) {
    self.store = store
    self.limits = limits
  }

  // MARK: Companies

  /// Keeps a company, in place of the one that had its code.
  package func putCompany(_ company: StreemCompany, at now: WallTime) async throws(GatewayError) {
    _ = try await changeCompany(company.code, at: now) { _ in company }
  }

  /// Keeps what `change` makes of the company of that code, nil if there is none; it may be called more than once. Returns
  /// the company as it was.
  package func changeCompany(
    _ code: Name, at now: WallTime, _ change: (StreemCompany?) -> StreemCompany
  ) async throws(GatewayError) -> StreemCompany? {
    let count = StoreCount("streem.companies", atMost: limits.companies, of: "companies")
    return try await store.transact(at: now) {
      (transaction: inout Transaction) async throws(GatewayError) -> StreemCompany? in
      let key = Self.companies.key(code.text)
      let before = try await transaction.get(key, as: StreemCompany.self)
      transaction.put(key, change(before), in: [count])
      return before
    }
  }

  /// The company of that code, nil if there is none.
  package func company(_ code: Name, at now: WallTime) async throws(GatewayError) -> StreemCompany? {
    try await get(Self.companies.key(code.text), at: now)
  }

  /// Throws unless there is a company of that code, and goes on being one until the commit.
  func checkCompany(_ code: Name, in transaction: inout Transaction) async throws(GatewayError) {
    guard try await transaction.get(Self.companies.key(code.text), as: StreemCompany.self) != nil else {
      throw .companyUnknown
    }
  }

  // MARK: API keys

  /// Keeps an API key. Throws `GatewayError.companyUnknown` if its company does not exist, and
  /// `GatewayError.invalidParameter` if there is a key of that id already, revoked or not. One that `isOwn` is the gateway's,
  /// made for this life of it.
  package func addAPIKey(_ key: StreemAPIKey, isOwn: Bool = false, at now: WallTime) async throws(GatewayError) {
    try await putAPIKey(key, isOwn: isOwn, at: now) { (_) throws(GatewayError) in
      throw .invalidParameter.detailed("there is an API key of that id already")
    }
  }

  /// Keeps the API keys that an operator names at each start, all or none: each in place of one of its id, but for ever
  /// revoked if that was.
  package func nameAPIKeys(_ keys: [StreemAPIKey], at now: WallTime) async throws(GatewayError) {
    guard !keys.isEmpty else { return }
    try await store.transact(at: now) { (transaction: inout Transaction) async throws(GatewayError) in
      for key in keys {
        try await put(key, at: now, in: &transaction) { (known) throws(GatewayError) in
          var key = key
          key.isRevoked = known.isRevoked
          key.createdAt = known.createdAt
          return key
        }
      }
    }
  }

  private func putAPIKey(
    _ key: StreemAPIKey, isOwn: Bool = false, at now: WallTime,
    over: (StreemAPIKey) throws(GatewayError) -> StreemAPIKey
  ) async throws(GatewayError) {
    try await store.transact(at: now) { (transaction: inout Transaction) async throws(GatewayError) in
      try await put(key, at: now, in: &transaction, over: over)
      if isOwn { transaction.put(Self.ownKeys.key(key.id.text), StreemOwnKeyRow(id: key.id, createdAt: key.createdAt)) }
    }
  }

  private func put(
    _ key: StreemAPIKey, at now: WallTime, in transaction: inout Transaction,
    over: (StreemAPIKey) throws(GatewayError) -> StreemAPIKey
  ) async throws(GatewayError) {
    try await checkCompany(key.company, in: &transaction)
    let place = Self.keys.key(key.id.text)
    var kept = key
    if let known = try await transaction.get(place, as: StreemAPIKey.self) { kept = try over(known) }
    transaction.put(place, kept, in: [StoreCount("streem.keys", atMost: limits.keys, of: "API keys")])
  }

  /// Lets the keys that the gateway made for itself in its last life be good until `end`, and those of lives before that no
  /// longer than they were; of very many the oldest go at once.
  package func retireOwnKeys(until end: WallTime, at now: WallTime) async throws(GatewayError) {
    var rows: [StreemOwnKeyRow] = []
    do throws(StoreError) {
      for entry in try await store.scan(Self.ownKeys.range(), limit: .max, at: now) {
        rows.append(try entry.value(as: StreemOwnKeyRow.self))
      }
    } catch {
      throw GatewayError(error)
    }
    rows.sort { $0.createdAt > $1.createdAt }
    let count = StoreCount("streem.keys", atMost: limits.keys, of: "API keys")
    for (place, row) in rows.enumerated() where !row.isRetired || place >= Self.retiredKeysMax {
      try await store.transact(at: now) { (transaction: inout Transaction) async throws(GatewayError) in
        let (key, own) = (Self.keys.key(row.id.text), Self.ownKeys.key(row.id.text))
        guard place < Self.retiredKeysMax, let known = try await transaction.get(key, as: StreemAPIKey.self) else {
          transaction.delete(key)
          return transaction.delete(own)
        }
        var retired = row
        retired.isRetired = true
        transaction.put(key, known, expires: end, in: [count])
        transaction.put(own, retired, expires: end)
      }
    }
  }

  /// The API key of that id, revoked or not; nil if there never was one.
  package func apiKey(_ id: Name, at now: WallTime) async throws(GatewayError) -> StreemAPIKey? {
    try await get(Self.keys.key(id.text), at: now)
  }

  /// Every API key, in the order of their ids.
  package func apiKeys(at now: WallTime) async throws(GatewayError) -> [StreemAPIKey] {
    do throws(StoreError) {
      var keys: [StreemAPIKey] = []
      for entry in try await store.scan(Self.keys.range(), limit: limits.keys, at: now) {
        keys.append(try entry.value(as: StreemAPIKey.self))
      }
      return keys
    } catch {
      throw GatewayError(error)
    }
  }

  /// Ends an API key for ever; revoking twice is revoking once. Throws `GatewayError.notFound` if there is none.
  package func revokeAPIKey(_ id: Name, at now: WallTime) async throws(GatewayError) -> StreemAPIKey {
    let count = StoreCount("streem.keys", atMost: limits.keys, of: "API keys")
    return try await store.transact(at: now) {
      (transaction: inout Transaction) async throws(GatewayError) -> StreemAPIKey in
      let place = Self.keys.key(id.text)
      guard var key = try await transaction.get(place, as: StreemAPIKey.self) else {
        throw .notFound.detailed("there is no such API key")
      }
      key.isRevoked = true
      transaction.put(place, key, in: [count])
      return key
    }
  }

  /// The value of one row.
  func get<Value: StoreValue>(_ key: StoreKey, at now: WallTime) async throws(GatewayError) -> Value? {
    do throws(StoreError) { return try await store.get(key, as: Value.self, at: now) } catch {
      throw GatewayError(error)
    }
  }
}
