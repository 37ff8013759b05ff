/// A family of Stream's paths.
enum StreamFamily: Hashable, Sendable, CaseIterable {
  /// `/video/...`: the Video SDKs for devices and browsers.
  case video
  /// `/api/v2/...`: the server SDKs, Rust and Python.
  case v2
  /// Paths at the root: Chat.
  case chat

  /// The family's date format.
  var dates: StreamDates { self == .v2 ? .nanoseconds : .text }

  /// Whether a user's custom members are beside the others instead of below `custom`.
  var flattensCustom: Bool { self == .chat }

  /// Returns the family of a path.
  init(path: String) {
    self = path.hasPrefix("/api/v2/") ? .v2 : path.hasPrefix("/video/") ? .video : .chat
  }
}

/// The paths of a resource, one in each family that has it.
enum StreamPath: Hashable, Sendable {
  /// A resource of Video: the path follows `/video/` and `/api/v2/video/`.
  case video(String)
  /// A resource that all products share: the path follows `/video/`, `/api/v2/` and `/`.
  case common(String)
  /// A single path as given.
  case one(String)

  var patterns: [String] {
    switch self {
    case .video(let name): ["/video/\(name)", "/api/v2/video/\(name)"]
    case .common(let name): ["/video/\(name)", "/api/v2/\(name)", "/\(name)"]
    case .one(let path): [path]
    }
  }
}
