import GatewayKit

/// The control API from a shell.
enum ControlCommand: Command {
  static let name = "ctl"
  static let summary = "the control API of a running gateway from a shell"
  static var operands: String {
    controlActions.map { $0.word + ($0.operand.isEmpty ? "" : " \($0.operand)") }.joined(separator: "|")
  }
  static let example = "postern ctl expire --user ann --url http://127.0.0.1:8081"
  static let usualURL = "http://127.0.0.1:8081"

  static let neededFirst = [
    "url", "control-secret-file", "json", "user", "session", "all", "space", "name", "set", "by",
  ]

  static var actions: [CommandPage] { controlActions.map(\.page) }
  static let controlActions: [ControlAction] =
    [
      .health, .ready, .metrics, .settings, .sessions, .session, .expire, .refresh, .disconnect, .revoke, .drain,
      .spaces, .space, .clock, .advance,
    ] + Vendors.all.flatMap { $0.controlActions }

  /// What every action has.
  static let connection = FlagSection(
    "the control port",
    [
      Flag("url", "URL", "the control port (default \(usualURL))"),
      Flag("control-secret-file", "FILE", "the bearer secret of a control port that is not on loopback"),
      Flag("space", "NAME", "ask the space of that name, of those that the gateway hosts, in place of the gateway"),
      Flag("json", nil, "print what the gateway answers, as JSON"),
    ])

  static let sections = [FlagSection("what actions take (postern ctl ACTION --help tells which)", taken), connection]

  /// The flags of all actions, each name once.
  private static let taken: [Flag] = controlActions.reduce(into: []) { flags, action in
    for flag in action.flags where !flags.contains(where: { $0.name == flag.name }) { flags.append(flag) }
  }

  static func run(_ arguments: Arguments) async throws -> Int32 {
    let words = controlActions.map(\.word).joined(separator: ", ")
    guard let word = arguments.operands.first else { throw UsageError("ctl needs an action: \(words)") }
    guard let action = controlActions.first(where: { $0.word == word }) else {
      let near = Suggestion.question(Suggestion.near(word, among: controlActions.map(\.word)))
      throw UsageError("ctl: '\(word)' is no action\(near) (there are \(words))")
    }
    return try await action.run(arguments)
  }
}
