internal import GatewayCore
internal import GatewayKit

/// The application's setup as servers have made it: call types, roles, push providers and other records.
///
/// A full table throws `GatewayError.tooMany`, an unavailable store `GatewayError.storeUnavailable`.
struct StreamSetup: Sendable {
  static let types = StoreTable<StreamCallType>("stream.type")
  private static let roles = StoreTable<StreamOwnRole>("stream.role")
  static let providers = StoreTable<StreamPushProvider>("stream.push")

  /// The maximum number of records of each kind.
  static let typesMax = 100
  static let rolesMax = 100
  static let providersMax = 25

  let store: any Store

  init(_ store: any Store) {
    self.store = store
  }

  // MARK: Call types

  /// Returns what servers have set for the type; nil if nothing.
  func type(_ name: String, at now: WallTime) async throws(GatewayError) -> StreamCallType? {
    do throws(StoreError) {
      return try await store.get(Self.types.key(name), as: StreamCallType.self, at: now)
    } catch {
      throw GatewayError(error)
    }
  }

  /// Returns the types that servers have set, sorted by name.
  func types(at now: WallTime) async throws(GatewayError) -> [StreamCallType] {
    try await rows(Self.types.range(), limit: Self.typesMax, at: now)
  }

  /// Returns the type after `change`, which gets nil if nothing was set yet.
  func changeType(
    _ name: String, at now: WallTime, _ change: (StreamCallType?) throws(GatewayError) -> StreamCallType
  ) async throws(GatewayError) -> StreamCallType {
    try await store.transact(at: now) {
      (transaction: inout StoreTransaction<GatewayError>) async throws(GatewayError) -> StreamCallType in
      let key = Self.types.key(name)
      var type = try change(try await transaction.get(key, as: StreamCallType.self))
      let own = try await transaction.get(Self.permissionsKey, as: StreamOwnPermissions.self)
      type.meanings = own?.meanings(in: type.grants)
      transaction.put(key, type, in: [StoreCount("stream.types", atMost: Self.typesMax, of: "call types")])
      return type
    }
  }

  /// Removes what was set for the type; returns false if nothing was.
  func removeType(_ name: String, at now: WallTime) async throws(GatewayError) -> Bool {
    try await remove(Self.types.key(name), as: StreamCallType.self, at: now)
  }

  // MARK: Roles

  /// Returns the roles that the application defines, sorted by name.
  func roles(at now: WallTime) async throws(GatewayError) -> [StreamOwnRole] {
    try await rows(Self.roles.range(), limit: Self.rolesMax, at: now)
  }

  /// Creates the role; throws `GatewayError.alreadyExists` if there is one with that name.
  func makeRole(_ name: Name, at now: WallTime) async throws(GatewayError) -> StreamOwnRole {
    try await store.transact(at: now) {
      (transaction: inout StoreTransaction<GatewayError>) async throws(GatewayError) -> StreamOwnRole in
      let key = Self.roles.key(name.text)
      guard try await transaction.get(key, as: StreamOwnRole.self) == nil else { throw .alreadyExists }
      let role = StreamOwnRole(name: name, createdAt: now)
      transaction.put(key, role, in: [StoreCount("stream.roles", atMost: Self.rolesMax, of: "roles")])
      return role
    }
  }

  /// Removes the role; returns false if there is none.
  func removeRole(_ name: Name, at now: WallTime) async throws(GatewayError) -> Bool {
    try await remove(Self.roles.key(name.text), as: StreamOwnRole.self, at: now)
  }

  // MARK: Push providers

  /// Returns the push providers, sorted by type and name.
  func providers(at now: WallTime) async throws(GatewayError) -> [StreamPushProvider] {
    try await rows(Self.providers.range(), limit: Self.providersMax, at: now)
  }

  /// Stores the provider, and replaces one with the same type and name. Returns the stored provider.
  func put(_ provider: StreamPushProvider, at now: WallTime) async throws(GatewayError) -> StreamPushProvider {
    try await store.transact(at: now) {
      (transaction: inout StoreTransaction<GatewayError>) async throws(GatewayError) -> StreamPushProvider in
      let key = Self.providers.key(provider.type, provider.name.text)
      let known = try await transaction.get(key, as: StreamPushProvider.self)
      let provider = StreamPushProvider(
        type: provider.type, name: provider.name, createdAt: known?.createdAt ?? now, updatedAt: now,
        members: provider.members, disabledAt: provider.disabledAt)
      let count = StoreCount("stream.push", atMost: Self.providersMax, of: "push providers")
      transaction.put(key, provider, in: [count])
      return provider
    }
  }

  /// Removes the provider and its templates; returns false if there is none.
  func removeProvider(_ type: String, _ name: String, at now: WallTime) async throws(GatewayError) -> Bool {
    guard try await remove(Self.providers.key(type, name), as: StreamPushProvider.self, at: now) else { return false }
    // A concurrent change of a template finds that the provider is gone.
    for template in try await records(.template, at: now)
    where template.id[0].utf8.elementsEqual(type.utf8) && template.id[1].utf8.elementsEqual(name.utf8) {
      _ = try await removeRecord(.template, template.id, at: now)
    }
    return true
  }

  // MARK: Rows

  func rows<Row: StoreValue>(
    _ range: StoreRange, limit: Int, at now: WallTime
  ) async throws(GatewayError) -> [Row] {
    do throws(StoreError) {
      var rows: [Row] = []
      for entry in try await store.scan(range, limit: limit, at: now) { rows.append(try entry.value(as: Row.self)) }
      return rows
    } catch {
      throw GatewayError(error)
    }
  }

  func remove<Row: StoreValue>(
    _ key: StoreKey, as type: Row.Type, at now: WallTime
  ) async throws(GatewayError) -> Bool {
    try await store.transact(at: now) {
      (transaction: inout StoreTransaction<GatewayError>) async throws(GatewayError) -> Bool in
      guard try await transaction.get(key, as: type) != nil else { return false }
      transaction.delete(key)
      return true
    }
  }
}
