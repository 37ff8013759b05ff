internal import GatewayCore
internal import GatewayKit

/// The directory of a Streem platform: companies, their API keys and users, invitations, reservations and webhooks.
///
/// Each operation is atomic, and its answer reflects every operation that its caller knew to be complete. Expired
/// objects do not exist any more. A full table throws `GatewayError.tooMany` and loses nothing; an unavailable store
/// throws `GatewayError.storeUnavailable`. The store has only the public half of a key, unless the gateway signs with it, and
/// only the hash of an invitation's code.
struct StreemDirectory: Sendable {
  static let companies = StoreTable<StreemCompany>("streem.company")
  private static let keys = StoreTable<StreemAPIKey>("streem.key")
  static let signingKeys = StoreTable<StreemSigningRow>("streem.signing-key")

  typealias Transaction = StoreTransaction<GatewayError>

  let store: any Store
  let limits: StreemDirectoryLimits
  let tries: StreemTries

  /// Creates a directory in `store`. `tries` connects the counts of wrong codes to those of other nodes.
  init(
    _ store: any Store, limits: StreemDirectoryLimits = StreemDirectoryLimits(), tries: NodeTally? = nil
  ) {
    self.store = store
    self.limits = limits
    self.tries = StreemTries(tally: tries)
  }

  // MARK: Companies

  /// Stores a company, and replaces the one with its code.
  func putCompany(_ company: StreemCompany, at now: WallTime) async throws(GatewayError) {
    _ = try await changeCompany(company.code, at: now) { _ in company }
  }

  /// Replaces the company with that code by the result of `change`, which may run more than once and gets nil if there
  /// is none. Returns the company as it was.
  func changeCompany(
    _ code: Name, at now: WallTime, _ change: (StreemCompany?) -> StreemCompany
  ) async throws(GatewayError) -> StreemCompany? {
    let count = StoreCount("streem.companies", atMost: limits.companies, of: "companies")
    return try await store.transact(at: now) {
      (transaction: inout Transaction) async throws(GatewayError) -> StreemCompany? in
      let key = Self.companies.key(code.text)
      let before = try await transaction.get(key, as: StreemCompany.self)
      let after = change(before)
      if after != before { transaction.put(key, after, in: [count]) }
      return before
    }
  }

  /// Returns the company with that code; nil if there is none.
  func company(_ code: Name, at now: WallTime) async throws(GatewayError) -> StreemCompany? {
    try await get(Self.companies.key(code.text), at: now)
  }

  /// Throws unless there is a company with that code, and prevents its removal until the commit.
  func checkCompany(_ code: Name, in transaction: inout Transaction) async throws(GatewayError) {
    guard try await transaction.get(Self.companies.key(code.text), as: StreemCompany.self) != nil else {
      throw .companyUnknown
    }
  }

  // MARK: API keys

  /// Stores an API key. Throws `GatewayError.companyUnknown` if its company does not exist, and
  /// `GatewayError.invalidParameter` if there is a key with that id, revoked or not.
  func addAPIKey(_ key: StreemAPIKey, at now: WallTime) async throws(GatewayError) {
    try await store.transact(at: now) { (transaction: inout Transaction) async throws(GatewayError) in
      try await add(key, at: now, in: &transaction)
    }
  }

  func add(_ key: StreemAPIKey, at now: WallTime, in transaction: inout Transaction) async throws(GatewayError) {
    try await put(key, at: now, in: &transaction) { (_) throws(GatewayError) in
      throw .invalidParameter.detailed("there is an API key of that id already")
    }
  }

  /// Stores the API keys from the configuration, all or none. Each replaces the one with its id, but a revoked key
  /// stays revoked.
  func nameAPIKeys(_ keys: [StreemAPIKey], at now: WallTime) async throws(GatewayError) {
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

  private func put(
    _ key: StreemAPIKey, at now: WallTime, in transaction: inout Transaction,
    over: (StreemAPIKey) throws(GatewayError) -> StreemAPIKey
  ) async throws(GatewayError) {
    try await checkCompany(key.company, in: &transaction)
    let place = Self.keys.key(key.id.text)
    var kept = key
    if let known = try await transaction.get(place, as: StreemAPIKey.self) {
      kept = try over(known)
      guard kept != known else { return }
    }
    transaction.put(place, kept, in: [StoreCount("streem.keys", atMost: limits.keys, of: "API keys")])
  }

  /// Returns the API key with that id, revoked or not; nil if there never was one.
  func apiKey(_ id: Name, at now: WallTime) async throws(GatewayError) -> StreemAPIKey? {
    try await get(Self.keys.key(id.text), at: now)
  }

  func apiKey(_ id: Name, in transaction: inout Transaction) async throws(GatewayError) -> StreemAPIKey? {
    try await transaction.get(Self.keys.key(id.text), as: StreemAPIKey.self)
  }

  /// Returns all API keys in the order of their ids.
  func apiKeys(at now: WallTime) async throws(GatewayError) -> [StreemAPIKey] {
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

  /// Revokes an API key permanently; does nothing if it is revoked. Throws `GatewayError.notFound` if there is none.
  func revokeAPIKey(_ id: Name, at now: WallTime) async throws(GatewayError) -> StreemAPIKey {
    let count = StoreCount("streem.keys", atMost: limits.keys, of: "API keys")
    return try await store.transact(at: now) {
      (transaction: inout Transaction) async throws(GatewayError) -> StreemAPIKey in
      let place = Self.keys.key(id.text)
      guard var key = try await transaction.get(place, as: StreemAPIKey.self) else {
        throw .notFound.detailed("there is no API key '\(id)'")
      }
      key.isRevoked = true
      transaction.put(place, key, in: [count])
      return key
    }
  }

  /// Returns the value of one row.
  func get<Value: StoreValue>(_ key: StoreKey, at now: WallTime) async throws(GatewayError) -> Value? {
    do throws(StoreError) { return try await store.get(key, as: Value.self, at: now) } catch {
      throw GatewayError(error)
    }
  }
}
