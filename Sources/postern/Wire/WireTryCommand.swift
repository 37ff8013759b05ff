import GatewayKit

/// The command `postern wire try`: it plays one client of a described wire.
enum WireTryCommand: Command {
  static let name = "wire try"
  static let summary = "run one client of a described wire, and show each message with the rule that matched it"
  static let example =
    "postern wire try --wire socketio --url ws://127.0.0.1:3000 --mint --secret-file secret --life 5s"
  static let sections = StormFlags.ofOneClient
  static let neededFirst = [
    "wire", "url", "tokens", "template-secret", "provider", "mint", "secret-file", "life", "insecure", "timeout",
  ]

  static func run(_ arguments: Arguments) async throws -> Int32 {
    let draft = try StormDraft(arguments, isPart: false)
    guard draft.wire != nil else {
      throw UsageError("--wire is needed: a FILE, or a NAME of postern wire list")
    }
    return try await WireTrial(draft, arguments).run()
  }
}
