/// A family of Stream's paths: those below `/video`, for instance.
package enum StreamFamily: Hashable, Sendable, CaseIterable {
  /// `/video/...`, of the Video SDKs on devices and in browsers.
  case video
  /// `/api/v2/...`, of the SDKs for servers, of Rust and Python.
  case v2
  /// Paths at the root, of Chat.
  case chat

  /// How the family writes dates.
  package var dates: StreamDates { self == .v2 ? .nanoseconds : .text }

  /// Whether a user's own members stand among the others, not below `custom`.
  package var flattensCustom: Bool { self == .chat }

  /// The family of a path.
  package init(path: String) {
    self = path.hasPrefix("/api/v2/") ? .v2 : path.hasPrefix("/video/") ? .video : .chat
  }
}

/// The path of a resource in each family that has it: `/users` and `/api/v2/users`, for instance.
package enum StreamPath: Hashable, Sendable {
  /// A resource of Video: `/video/` and `/api/v2/video/` before it.
  case video(String)
  /// A resource all products share: `/video/`, `/api/v2/` and `/` before it.
  case common(String)
  /// One path, as it is.
  case one(String)

  var patterns: [String] {
    switch self {
    case .video(let name): ["/video/\(name)", "/api/v2/video/\(name)"]
    case .common(let name): ["/video/\(name)", "/api/v2/\(name)", "/\(name)"]
    case .one(let path): [path]
    }
  }
}
