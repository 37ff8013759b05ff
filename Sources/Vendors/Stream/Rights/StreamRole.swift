internal import GatewayCore

/// A role and what it may do in calls of each type.
///
/// Stream keeps this table for each call type in the application's settings and publishes it only in part; what is
/// published holds here: hosts and admins may do everything in a call, `development` is open to all, listeners of an
/// audio room and viewers of a livestream publish nothing, anonymous users never do.
enum StreamRole: String, CaseIterable, Sendable {
  case admin, host, moderator
  /// Whoever is a member of the call.
  case member = "call_member"
  case user, guest, anonymous

  var name: Name { Name(rawValue) }

  /// The role of that name. One of the application's own has the rights of a `user`.
  init(name: Name) {
    self = Self.byName[name] ?? .user
  }

  /// The roles by their names, which are written with either dash.
  private static let byName = Dictionary(
    uniqueKeysWithValues: allCases.map { (Name($0.rawValue), $0) } + [("call-member", .member)])

  func capabilities(in type: String) -> Set<StreamCapability> {
    switch (self, type) {
    case (.admin, _), (.host, _): Self.everything
    case (.moderator, _): Self.speaking.union(Self.moderating)
    case (.anonymous, _): Self.watching
    case (_, "development"): Self.everything
    case (.member, _): Self.speaking
    case (.user, "audio_room"), (.user, "livestream"): Self.listening.union([.createCall])
    case (.guest, "audio_room"), (.guest, "livestream"): Self.listening
    case (.user, _), (.guest, _): Self.speaking.union([.createCall])
    }
  }

  private static let everything = Set(StreamCapability.allCases)
  private static let watching: Set<StreamCapability> = [.joinCall, .readCall]
  private static let listening: Set<StreamCapability> = watching.union([.createReaction])
  private static let speaking: Set<StreamCapability> = listening.union([
    .sendAudio, .sendVideo, .screenshare, .enableNoiseCancellation,
  ])
  private static let moderating: Set<StreamCapability> = [
    .blockUsers, .kickUser, .muteUsers, .pinForEveryone, .joinBackstage, .removeCallMember, .updateCallPermissions,
  ]
}
