internal import GatewayCore

/// The grants of each role in calls of one type.
///
/// Source of the built-in types' grants: the permission reference of Stream's documentation, which lists `admin`,
/// `user`, `guest` and `anonymous`; `host` is like `admin`, `call_member` like `user`. Newer capabilities (captions,
/// kicks, the other recordings) are granted like recordings, and so is the listing of recordings where the reference
/// has no row for it. If a type lists nothing for guests, they may watch and react. The right of a call's creator to
/// delete it is a guess: Stream publishes that clients may, but not which.
struct StreamGrants: Sendable {
  /// The rights that a role gives.
  struct Rights: Hashable, Sendable {
    /// In every call of the type.
    var all: Set<StreamCapability> = []
    /// Also in calls that the user created.
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
  /// The grants that a server has set for roles, which replace the type's defaults.
  private let said: [Name: [String]]
  /// The built-in permissions with the same actions as the application's own permissions.
  private let meanings: [Name: String]

  /// Creates the grants of a call type.
  ///
  /// - Parameters:
  ///   - type: The type's name; one that is not built in starts with the grants of `default`.
  ///   - definition: The settings that servers have made, if any.
  init(of type: String, _ definition: StreamCallType?) {
    standard = Self.standards[type] ?? Self.standards["default"] ?? [:]
    standardRights = Self.standardRights[type] ?? Self.standardRights["default"] ?? [:]
    said = definition?.grants ?? [:]
    meanings = definition?.meanings ?? [:]
  }

  /// Returns the rights of a role. A role that the application defines has the rights of a `user` until grants are set
  /// for it.
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

  /// The permissions by role, in listing order.
  var listed: [(role: Name, permissions: [String])] {
    standard.merging(said) { $1 }.sorted { $0.key < $1.key }.map { ($0.key, $0.value.sorted()) }
  }

  // MARK: Defaults

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

  /// The grants of users in `default` calls.
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

  /// The grants of users in `livestream` calls.
  private static let broadcasters = makers + owners(["pin-call-track", "screenshare", "send-video"])

  /// The grants of users in `audio_room` calls.
  private static let roomKeepers = makers + owners(["update-call-settings"])
}

extension StreamCall {
  /// The grants of roles in the call.
  var roleGrants: StreamGrants { StreamGrants(of: id.type, definition) }
}
