internal import GatewayCore
internal import GatewayKit

extension SendbirdDirectory {
  /// The number of users that are read in one step of a scan.
  private static let sliceMax = 500

  /// Returns the user with that id; nil if there is none.
  func user(_ id: UserID, at now: WallTime) async throws(GatewayError) -> SendbirdUser? {
    do throws(StoreError) {
      return try await store.get(Self.users.key(id.rawValue), as: SendbirdUser.self, at: now)
    } catch {
      throw GatewayError(error)
    }
  }

  /// Returns the users that exist, by their ids.
  func users(_ ids: Set<UserID>, at now: WallTime) async throws(GatewayError) -> [UserID: SendbirdUser] {
    do throws(StoreError) {
      return try await read(Array(ids), at: now).reduce(into: [:]) { $0[$1.id] = $1 }
    } catch {
      throw GatewayError(error)
    }
  }

  /// Returns a page of the query's users, newest first.
  func users(_ query: SendbirdUserQuery, at now: WallTime) async throws(GatewayError) -> SendbirdUserPage {
    do throws(StoreError) {
      var found: [SendbirdUser] = []
      if let ids = query.ids {
        let named = try await read(Array(ids), at: now).filter { $0.number < query.before ?? .max }
        found = named.filter(query.includes).sorted { $0.number > $1.number }
      } else {
        var before = query.before ?? .max
        // One more than fits shows that there is another page.
        while found.count <= query.limit {
          let range = Self.places.range().after(Self.placeKey(before).path)
          var places: [SendbirdUserPlace] = []
          for entry in try await store.scan(range, limit: Self.sliceMax, at: now) {
            places.append(try entry.value(as: SendbirdUserPlace.self))
          }
          found += try await read(places.map(\.id), at: now).filter(query.includes)
          guard places.count == Self.sliceMax, let last = places.last else { break }
          before = last.number
        }
      }
      let page = Array(found.prefix(query.limit))
      return SendbirdUserPage(users: page, next: found.count > page.count ? page.last?.number : nil)
    } catch {
      throw GatewayError(error)
    }
  }

  /// Returns the users in `ids` that exist, in that order.
  private func read(_ ids: [UserID], at now: WallTime) async throws(StoreError) -> [SendbirdUser] {
    var users: [SendbirdUser] = []
    for entry in try await store.read(ids.map { Self.users.key($0.rawValue) }, at: now) {
      if let entry { users.append(try entry.value(as: SendbirdUser.self)) }
    }
    return users
  }
}
