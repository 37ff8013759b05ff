package import GatewayCore
internal import GatewayKit

/// A permission that the application defines, e.g. `end-own-call` for the action `EndCall`.
package struct StreamOwnPermission: Hashable, Codable, Sendable {
  package let id: Name
  package var name: String
  package var action: String
  package var about: String
  /// Whether it is only for a call's creator.
  package var isOwners: Bool
  package var isSameTeam: Bool
  /// The condition on its users, as JSON text; nil for everybody.
  package var condition: String?
  /// The built-in permission that it stands for; nil if it has no effect here.
  package var meaning: String?

  package init(
    id: Name, name: String, action: String, about: String, isOwners: Bool, isSameTeam: Bool, condition: String?,
    meaning: String?
  ) {
    self.id = id
    self.name = name
    self.action = action
    self.about = about
    self.isOwners = isOwners
    self.isSameTeam = isSameTeam
    self.condition = condition
    self.meaning = meaning
  }
}

/// The permissions that the application defines, all in one row, so that a change of grants sees all of them.
struct StreamOwnPermissions: StoreValue {
  /// The permissions in the order of their ids.
  var list: [StreamOwnPermission] = []

  /// Returns the built-in permissions that the application's own permissions in `grants` stand for, by id.
  func meanings(in grants: [Name: [String]]) -> [Name: String] {
    guard !list.isEmpty else { return [:] }
    let granted = Set(grants.values.joined().map { Name($0) })
    return list.reduce(into: [:]) { meanings, permission in
      if granted.contains(permission.id) { meanings[permission.id] = permission.meaning }
    }
  }
}
