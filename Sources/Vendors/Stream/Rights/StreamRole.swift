internal import GatewayCore

/// A role that there is without anybody making it: `guest`, for instance.
enum StreamRole: String, CaseIterable, Sendable {
  case admin, host, moderator
  /// Whoever is a member of the call.
  case member = "call_member"
  case user, guest, anonymous

  var name: Name { Name(rawValue) }

  /// The role's name as grants have it: that of members is written with either dash.
  static func canonical(_ role: Name) -> Name { role == "call-member" ? member.name : role }
}
