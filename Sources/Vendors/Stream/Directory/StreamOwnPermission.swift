internal import GatewayCore
internal import GatewayKit

/// A permission that the application defines, e.g. `end-own-call` for the action `EndCall`.
struct StreamOwnPermission: Hashable, Codable, Sendable {
  let id: Name
  var name: String
  var action: String
  var about: String
  /// Whether it is only for a call's creator.
  var isOwners: Bool
  var isSameTeam: Bool
  /// The condition on its users, as JSON text; nil for all users.
  var condition: String?
  /// The built-in permission with the same action; nil if it has no effect here.
  var meaning: String?
}

/// The permissions that the application defines, all in one row, so that a change of grants sees all of them.
struct StreamOwnPermissions: StoreValue {
  /// The permissions in the order of their ids.
  var list: [StreamOwnPermission] = []

  /// Returns the built-in permissions with the same actions as the application's own permissions in `grants`, by id.
  func meanings(in grants: [Name: [String]]) -> [Name: String] {
    guard !list.isEmpty else { return [:] }
    let granted = Set(grants.values.joined().map { Name($0) })
    return list.reduce(into: [:]) { meanings, permission in
      if granted.contains(permission.id) { meanings[permission.id] = permission.meaning }
    }
  }
}
