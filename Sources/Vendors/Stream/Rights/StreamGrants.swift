internal import GatewayCore

/// The grants of each role in calls of one type: that a `host` may end them, for instance.
///
/// Source of the built-in types' grants: the permission reference of Stream's documentation, which lists `admin`,
/// `user`, `guest` and `anonymous`; `host` is as `admin`, `call_member` as `user`. What has come since then (captions,
/// kicks, the other recordings) is given as recordings are, and so is the listing of recordings where the reference has no
/// row for it. Where a type lists nothing for guests they watch and react. That a call's maker may delete it is a guess:
/// Stream publishes that clients may, not who.
struct StreamGrants: Sendable {
  /// The rights that a role gives: to join, for instance.
  struct Rights: Hashable, Sendable {
    /// In every call of the type.
    var all: Set<StreamCapability> = []
    /// In calls of their own making too.
    var owners: Set<StreamCapability> = []

    init(_ permissions: [String]) {
      for permission in permissions.map(StreamPermission.init) {
        guard let capability = permission.capability else { continue }
        if permission.isOwners { owners.insert(capability) } else { all.insert(capability) }
      }
    }
  }

  private let standard: [Name: [String]]
  private let standardRights: [Name: Rights]
  /// What a server has said of roles: it stands in the place of what the type began with.
  private let said: [Name: [String]]
  /// What the application's own permissions give.
  private let meanings: [Name: String]

  /// - Parameters:
  ///   - type: The type's name; one that is not built in begins with the grants of `default`.
  ///   - definition: What servers have said of it, if they have.
  init(of type: String, _ definition: StreamCallType?) {
    standard = Self.standards[type] ?? Self.standards["default"] ?? [:]
    standardRights = Self.standardRights[type] ?? Self.standardRights["default"] ?? [:]
    said = definition?.grants ?? [:]
    meanings = definition?.meanings ?? [:]
  }

  /// What a role may do. One of the application's own of which nothing was said has the rights of a `user`.
  func rights(of role: Name) -> Rights {
    let role = StreamRole.canonical(role)
    return saidRights(of: role) ?? standardRights[role] ?? saidRights(of: StreamRole.user.name)
      ?? standardRights[StreamRole.user.name] ?? Rights([])
  }

  private func saidRights(of role: Name) -> Rights? {
    said[role].map { permissions in
      Rights(meanings.isEmpty ? permissions : permissions.map { meanings[Name($0)] ?? $0 })
    }
  }

  /// The permissions by role, as they are listed.
  var listed: [(role: Name, permissions: [String])] {
    standard.merging(said) { $1 }.sorted { $0.key < $1.key }.map { ($0.key, $0.value.sorted()) }
  }

  // MARK: Standards

  private static let standards: [String: [Name: [String]]] = [
    "default": [
      StreamRole.admin.name: everything, StreamRole.host.name: everything,
      StreamRole.moderator.name: speakers + moderation, StreamRole.user.name: speakers,
      StreamRole.member.name: speakers, StreamRole.guest.name: talkers, StreamRole.anonymous.name: watchers,
    ],
    "livestream": [
      StreamRole.admin.name: everything, StreamRole.host.name: everything,
      StreamRole.moderator.name: broadcasters + moderation, StreamRole.user.name: broadcasters,
      StreamRole.member.name: broadcasters, StreamRole.guest.name: reactors, StreamRole.anonymous.name: watchers,
    ],
    "audio_room": [
      StreamRole.admin.name: everything, StreamRole.host.name: everything,
      StreamRole.moderator.name: roomKeepers + moderation, StreamRole.user.name: roomKeepers,
      StreamRole.member.name: roomKeepers, StreamRole.guest.name: reactors, StreamRole.anonymous.name: watchers,
    ],
    "development": [
      StreamRole.admin.name: everything, StreamRole.host.name: everything, StreamRole.moderator.name: everything,
      StreamRole.user.name: everything, StreamRole.member.name: everything, StreamRole.guest.name: talkers,
      StreamRole.anonymous.name: watchers,
    ],
  ]

  private static let standardRights = standards.mapValues { $0.mapValues(Rights.init) }

  private static let everything = StreamPermission.catalogue
  private static let watchers = ["join-call", "read-call"]
  private static let reactors = watchers + ["create-call-reaction", "send-event"]
  private static let talkers = watchers + ["send-audio", "send-event", "send-video", "enable-noise-cancellation"]
  private static let moderation = [
    "block-user", "kick-user", "mute-users", "pin-call-track", "join-backstage", "remove-call-member",
    "update-call-permissions",
  ]
  private static let egress = ["recording", "individual-recording", "raw-recording", "frame-recording", "broadcasting"]
    .flatMap { ["start-\($0)", "stop-\($0)"] }
  private static let texts = ["transcription", "closed-captions"].flatMap { ["start-\($0)", "stop-\($0)"] }

  private static func owners(_ permissions: [String]) -> [String] { permissions.map { $0 + StreamPermission.owner } }

  /// Users of `default`.
  private static let speakers =
    talkers + egress + texts + [
      "create-call", "create-call-reaction", "end-call", "join-ended-call", "list-recordings", "remove-call-member",
      "screenshare", "update-call-member",
    ]
    + owners([
      "block-user", "delete-call", "kick-user", "mute-users", "pin-call-track", "update-call",
      "update-call-permissions", "update-call-settings", "change-max-duration",
    ])

  private static let makers =
    reactors + ["create-call", "enable-noise-cancellation"]
    + owners(
      [
        "block-user", "delete-call", "kick-user", "end-call", "join-backstage", "join-ended-call", "list-recordings",
        "mute-users", "remove-call-member", "send-audio", "update-call", "update-call-member",
        "update-call-member-role", "update-call-permissions",
        "change-max-duration",
      ] + egress + texts)

  /// Users of `livestream`.
  private static let broadcasters = makers + owners(["pin-call-track", "screenshare", "send-video"])

  /// Users of `audio_room`.
  private static let roomKeepers = makers + owners(["update-call-settings"])
}

extension StreamCall {
  /// What roles may do in it.
  var roleGrants: StreamGrants { StreamGrants(of: id.type, definition) }
}
