import GatewayCore
import GatewayKit
import GatewayWires

/// The flags of `postern ctl conform`, checked.
struct ConformOptions: Sendable {
  let control: ControlClient
  let wire: ConformWire
  let command: String
  /// The real gateway behind a proxy; nil for a gateway that the spaces play.
  let upstream: ConformUpstream?
  let behaviours: [Behaviour]
  let jobs: Int
  /// The JUnit file for the results.
  let junit: OutputFile?
  /// The folder, which is there, for the journals of what has failed.
  let journals: String?

  /// The values of the flags, before they are checked together.
  struct Draft: Sendable {
    var dialect: Arguments.Value?
    var wire: Arguments.Value?
    var templateSecrets: [Arguments.Value] = []
    var upstream: Arguments.Value?
    var tokens: Arguments.Value?
    var tokenRoute: Arguments.Value?
    var tokenAt: Arguments.Value?
    var command: String?
    var only: [Arguments.Value] = []
    /// Whether the behaviours are listed, and no client is started.
    var lists = false
    var jobs: Int?
    var junit: OutputFile?
    var journals: Arguments.Value?

    init(_ arguments: Arguments) throws { try arguments.read(ConformOptions.options, into: &self) }
  }

  @OptionList<Draft>
  static var options: [Option<Draft>] {
    Vendors.option("dialect", "the dialect that the client speaks", \.dialect)
    Option(
      "wire", "FILE|NAME", "the described wire that the client speaks, instead of --dialect; the gateway plays it",
      \.wire, .asGiven)
    Option(
      "template-secret", "NAME=FILE", "the file with the value of {{secret.NAME}} in --wire",
      each: \.templateSecrets)
    Option(
      "upstream", "URL",
      "the real gateway that the client is tried at, through postern proxy --spaces",
      \.upstream, .asGiven)
    Option(
      "tokens", "URL", "the application's token endpoint, whose calls also pass through the proxy of --upstream",
      \.tokens,
      .asGiven)
    Option(
      "token-route", "ROUTE", "the route of the token endpoint at the server of --upstream, e.g. 'POST /auth/token'",
      \.tokenRoute, .asGiven)
    Option(
      "token-at", "POINTER", "the JSON pointer of the token in the answers of the token endpoint (default /token)",
      \.tokenAt, .asGiven)
    Option(
      "run", "COMMAND", "the command that starts the client, in a shell, with POSTERN_URL and further variables",
      \.command, .text)
    Option("only", "BEHAVIOUR", "try only this behaviour, or several, separated by commas", each: \.only)
    Option("list", "list the behaviours without trying them", \.lists)
    Option(
      "jobs", "N", "how many clients run at once (default: one for each processor)", \.jobs, .int(1...jobsMax))
    Option("junit", "FILE", "write the results to this file as JUnit XML", \.junit, .outputFile)
    Option(
      "journals", "FOLDER", "write the journal of each failed behaviour to this folder, as JSON Lines", \.journals,
      .asGiven)
  }

  private static let jobsMax = 64

  init(_ draft: Draft, control: ControlClient) throws {
    guard let command = draft.command, !command.isEmpty else {
      throw UsageError("ctl conform needs --run COMMAND, which starts the client")
    }
    self.control = control
    self.command = command
    wire = try Self.wire(draft)
    behaviours = try Self.behaviours(draft.only)
    upstream = try ConformUpstream(draft)
    // A gateway of others gets one client at a time.
    jobs = draft.jobs ?? (upstream?.isLocal == false ? 1 : min(ProcessEnvironment.cores, Self.jobsMax))
    junit = draft.junit
    journals = try Self.folder(draft.journals)
  }

  private static func wire(_ draft: Draft) throws -> ConformWire {
    guard let file = draft.wire else {
      if let secret = draft.templateSecrets.first { throw UsageError("\(secret.source) goes with --wire") }
      return ConformWire(try Vendors.named(by: draft.dialect))
    }
    if let dialect = draft.dialect { throw dialect.meaningless(with: "wire", file.text) }
    let description = try WireFile.read(file)
    if draft.upstream == nil, let error = description.unplayable { throw UsageError("\(error)") }
    var settings = [Arguments.Value(text: "wire=\(file.text)", source: file.source)]
    settings += draft.templateSecrets.map { Arguments.Value(text: "template-secret=\($0.text)", source: $0.source) }
    return ConformWire(description, settings: try ControlAction.members(settings))
  }

  /// The folder for journals, made if need be. Throws if it cannot be, before any client has started.
  private static func folder(_ folder: Arguments.Value?) throws -> String? {
    guard let folder else { return nil }
    do {
      try FilePath(folder.text).makeDirectory()
    } catch {
      throw UsageError(folder.source, value: folder.text, expected: "a folder, or a path where one may be made")
    }
    guard FilePath(folder.text).isWritable else {
      throw UsageError(folder.source, value: folder.text, expected: "a folder that may be written to")
    }
    return folder.text
  }

  /// Returns the behaviours with the given names, in the order of the list; all behaviours if none is given.
  static func behaviours(_ asked: [Arguments.Value]) throws -> [Behaviour] {
    var names: Set<String> = []
    let parts = asked.flatMap { value in
      value.text.split(separator: ",", omittingEmptySubsequences: false).map { (String($0), value.source) }
    }
    for (text, source) in parts {
      if let present = formerNames[text] {
        Output.error("--only \(text): its name is \(present) now; the old one goes with the next version")
      }
      let present = formerNames[text] ?? text
      guard Behaviour.all.contains(where: { $0.name == present }) else {
        throw UsageError(source, value: text, oneOf: Behaviour.all.map(\.name))
      }
      names.insert(present)
    }
    return asked.isEmpty ? Behaviour.all : Behaviour.all.filter { names.contains($0.name) }
  }

  /// The present names of behaviours, by the names that they had in the last version.
  private static let formerNames = ["cut-off-by-time-out": "cut-off-by-timeout"]
}
