/// Whose tokens a command is about.
enum TokenScheme: String, CaseIterable {
  case plain
  case streamVideo = "stream-video"
  case sendbird
  case sinch
  case streem

  static let flag = Flag(
    "scheme", allCases.map(\.rawValue).joined(separator: "|"), "whose token (default plain)")

  static func read(_ arguments: Arguments) throws -> TokenScheme {
    try arguments.choice("scheme", TokenScheme.self) ?? .plain
  }

  /// Refuses flags that say nothing in this scheme.
  func refuse(_ names: [String], _ arguments: Arguments) throws {
    for name in names {
      guard let value = arguments.value(name), value.text != "false" else { continue }
      throw UsageError("\(value.source) says nothing to --scheme \(rawValue)")
    }
  }

  /// The keys to sign or verify with. The vendors' secrets are of any length.
  func keys(_ arguments: Arguments) throws -> TokenKeys {
    guard let keys = try TokenKeys(arguments, allowsShortSecret: self != .plain) else {
      throw UsageError("no key: --secret-file, POSTERN_SECRET or --key-file")
    }
    return keys
  }
}
