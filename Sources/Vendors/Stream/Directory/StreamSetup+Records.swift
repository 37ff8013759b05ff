internal import GatewayCore
internal import GatewayKit

// Records and permissions of the application.

extension StreamSetup {
  private static let records = StoreTable<StreamRecord>("stream.record")
  private static let permissions = StoreTable<StreamOwnPermissions>("stream.permission")

  /// The maximum number of permissions that an application defines.
  static let permissionsMax = 100

  // MARK: Records

  private static func key(_ kind: StreamRecord.Kind, _ id: [String]) -> StoreKey {
    let parts = id + [String](repeating: "", count: max(0, 3 - id.count))
    return records.key(kind.rawValue, parts[0], parts[1], parts[2])
  }

  /// Returns all records of the kind, in the order of their ids.
  func records(_ kind: StreamRecord.Kind, at now: WallTime) async throws(GatewayError) -> [StreamRecord] {
    try await rows(Self.records.range(kind.rawValue), limit: kind.countMax, at: now)
  }

  /// Returns the record; nil if there is none with that id.
  func record(
    _ kind: StreamRecord.Kind, _ id: [String], at now: WallTime
  ) async throws(GatewayError) -> StreamRecord? {
    do throws(StoreError) {
      return try await store.get(Self.key(kind, id), as: StreamRecord.self, at: now)
    } catch {
      throw GatewayError(error)
    }
  }

  /// Returns the stored record after `change`, which gets nil if there is none yet. A template of a push provider that
  /// does not exist throws `GatewayError.notFound`.
  func changeRecord(
    _ kind: StreamRecord.Kind, _ id: [String], at now: WallTime,
    _ change: (StreamRecord?) throws(GatewayError) -> StreamRecord
  ) async throws(GatewayError) -> StreamRecord {
    try await store.transact(at: now) {
      (transaction: inout StoreTransaction<GatewayError>) async throws(GatewayError) -> StreamRecord in
      // Read in the same transaction, so that the provider cannot be removed in between.
      if kind == .template, !id[1].isEmpty,
        try await transaction.get(Self.providers.key(id[0], id[1]), as: StreamPushProvider.self) == nil
      {
        throw .notFound
      }
      let key = Self.key(kind, id)
      var record = try change(try await transaction.get(key, as: StreamRecord.self))
      record.updatedAt = now
      let count = StoreCount("stream.records.\(kind.rawValue)", atMost: kind.countMax, of: "entries of that kind")
      transaction.put(key, record, in: [count])
      return record
    }
  }

  /// Removes the record; returns false if there is none.
  func removeRecord(
    _ kind: StreamRecord.Kind, _ id: [String], at now: WallTime
  ) async throws(GatewayError) -> Bool {
    try await remove(Self.key(kind, id), as: StreamRecord.self, at: now)
  }

  // MARK: Permissions

  /// The key of the one row that has all permissions.
  static var permissionsKey: StoreKey { permissions.key("all") }

  /// Returns the permissions that the application defines, in the order of their ids.
  func permissions(at now: WallTime) async throws(GatewayError) -> [StreamOwnPermission] {
    do throws(StoreError) {
      return try await store.get(Self.permissionsKey, as: StreamOwnPermissions.self, at: now)?.list ?? []
    } catch {
      throw GatewayError(error)
    }
  }

  /// Changes the permission with the id: `change` gets nil if there is none, and returns nil to remove it. Types in
  /// which it is granted are updated.
  func changePermission(
    _ id: Name, at now: WallTime, _ change: (StreamOwnPermission?) throws(GatewayError) -> StreamOwnPermission?
  ) async throws(GatewayError) {
    try await store.transact(at: now) {
      (transaction: inout StoreTransaction<GatewayError>) async throws(GatewayError) in
      var all = try await transaction.get(Self.permissionsKey, as: StreamOwnPermissions.self) ?? StreamOwnPermissions()
      let place = all.list.firstIndex { $0.id >= id } ?? all.list.endIndex
      let isThere = place < all.list.endIndex && all.list[place].id == id
      let made = try change(isThere ? all.list[place] : nil)
      all.list.replaceSubrange(place..<(isThere ? place + 1 : place), with: made.map { [$0] } ?? [])
      guard all.list.count <= Self.permissionsMax else {
        throw GatewayError.tooMany.detailed("\(Self.permissionsMax) permissions of the application's own")
      }
      transaction.put(Self.permissionsKey, all)
    }
    for type in try await types(at: now) where type.grants.values.contains(where: { $0.contains { Name($0) == id } }) {
      do throws(GatewayError) {
        _ = try await changeType(type.name, at: now) { (known) throws(GatewayError) in
          guard let known else { throw .notFound }
          return known
        }
      } catch {
        // A type that has been deleted by now has no grants.
        guard error.isSame(as: .notFound) else { throw error }
      }
    }
  }
}
