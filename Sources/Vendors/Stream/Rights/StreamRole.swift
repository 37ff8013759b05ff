internal import GatewayCore

/// A built-in role, e.g. `guest`.
enum StreamRole: String, CaseIterable, Sendable {
  case admin, host, moderator
  /// A member of the call.
  case member = "call_member"
  case user, guest, anonymous

  var name: Name { Name(rawValue) }

  /// Returns the role's name in grants. The role of members is written with either dash.
  static func canonical(_ role: Name) -> Name { role == "call-member" ? member.name : role }
}
