import GatewayKit

/// The command `postern ctl`: the control API from a shell, e.g. `postern ctl expire --user ann`.
enum ControlCommand: Command {
  static let name = "ctl"
  static let summary = "send orders to a running gateway's control API"
  static var operands: String {
    (controlActions.map { $0.word + ($0.operand.isEmpty ? "" : " \($0.operand)") }
      + [ConformCommand.word, "\(RecordCommand.word) FILE", "\(ReplayCommand.word) FILE"])
      .joined(separator: "|")
  }
  static let example = "postern ctl expire --user ann --url http://127.0.0.1:8081"

  /// The variables that a conformance run sets for its client, which may be this command.
  static let variables = ConformVariables.all

  static let neededFirst = [
    "url", "control-secret-file", "json", "user", "session", "all", "space", "name", "set", "by",
  ]

  static var actions: [CommandPage] {
    controlActions.map(\.page) + [ConformCommand.page, RecordCommand.page, ReplayCommand.page]
  }
  static let controlActions: [ControlAction] =
    [
      .health, .ready, .metrics, .settings, .sessions, .session, .expire, .refresh, .disconnect, .say, .revoke, .signal,
      .reload, .nodes, .drain,
      .spaces, .space, .clock, .advance, .fault, .faults, .mend, .journal, .wait, .expect,
    ] + Vendors.all.flatMap { $0.controlActions }

  static let sections = [
    FlagSection("what actions take (postern ctl ACTION --help tells which)", taken), ControlConnection.section,
  ]

  /// The flags of all actions, each name once. The help of a flag that few actions take names them.
  private static let taken: [Flag] = {
    var flags: [Flag] = []
    var takers: [String: [Substring]] = [:]
    for action in actions {
      for flag in action.sections.dropLast().flatMap(\.flags) {
        if takers[flag.name] == nil { flags.append(flag) }
        takers[flag.name, default: []].append(action.name.dropFirst(name.count + 1))
      }
    }
    return flags.map { flag in
      let words = takers[flag.name, default: []]
      let few = words.count <= 3 ? "; of ctl \(words.joined(separator: ", "))" : ""
      return Flag(flag.name, flag.value, (ofSeveral[flag.name] ?? flag.help) + few, repeats: flag.repeats)
    }
  }()

  /// The help of flags that mean something similar to several actions.
  private static let ofSeveral = [
    "user": "the user whose sessions, events or tokens the action is for",
    "dialect": "only sessions or events of this dialect",
    "limit": "the most sessions, spaces or events to print, 1 to 1000 (default 100)",
    "after": "only sessions or events after this one",
    "connection": "only events of this connection",
    "within": "how long the event or the client may take (default 5s)",
    "all": "every session, or every ordered fault",
    "set": "an option of postern serve or postern proxy, for the space to create or for the replay",
    "wall": "the space's time of day, e.g. 2000-01-01T00:00:00Z",
  ]

  /// Rejects flags of other actions on the command line. Such flags in the environment or a file are ignored, since they may
  /// be meant for other actions.
  static func refuseOthers(_ arguments: Arguments, than page: CommandPage) throws {
    for flag in flags where !page.flags.contains(where: { $0.name == flag.name }) {
      guard arguments.given[flag.name]?.contains(where: { $0.source == "--\(flag.name)" }) != true else {
        throw UsageError("--\(flag.name) has no effect with \(page.name); leave it out")
      }
    }
  }

  static func run(_ arguments: Arguments) async throws -> Int32 {
    let known = controlActions.map(\.word) + [ConformCommand.word, RecordCommand.word, ReplayCommand.word]
    let words = known.joined(separator: ", ")
    guard let word = arguments.operands.first else { throw UsageError("ctl needs an action: \(words)") }
    if word == ConformCommand.word { return try await ConformCommand.run(arguments) }
    if word == RecordCommand.word { return try await RecordCommand.run(arguments) }
    if word == ReplayCommand.word { return try await ReplayCommand.run(arguments) }
    guard let action = controlActions.first(where: { $0.word == word }) else {
      let near = Suggestion.question(Suggestion.near(word, among: known))
      throw UsageError("ctl: '\(word)' is no action\(near) (there are \(words))")
    }
    return try await action.run(arguments)
  }
}
