import GatewayKit

/// The flags of `postern ctl conform`, checked.
struct ConformOptions: Sendable {
  let control: ControlClient
  let dialect: String
  let command: String
  let behaviours: [Behaviour]
  let jobs: Int
  /// The JUnit file for the results.
  let junit: OutputFile?
  /// The folder, which is there, for the journals of what has failed.
  let journals: String?

  /// The values of the flags, before they are checked together.
  struct Draft: Sendable {
    var dialect: Arguments.Value?
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
    Vendors.option("dialect", "the wire that the client speaks", \.dialect)
    Option("run", "COMMAND", "starts the client, in a shell, with POSTERN_URL and what else it needs", \.command, .text)
    Option("only", "BEHAVIOUR", "this one only", each: \.only)
    Option("list", "list the behaviours, and start nothing", \.lists)
    Option(
      "jobs", "N", "how many clients at once (default: as many as there are processors)", \.jobs, .int(1...jobsMax))
    Option("junit", "FILE", "write the results as JUnit's XML", \.junit, .outputFile)
    Option(
      "journals", "FOLDER", "write the journal of each that failed, in JSON Lines", \.journals, .asGiven)
  }

  private static let jobsMax = 64

  init(_ draft: Draft, control: ControlClient) throws {
    guard let command = draft.command, !command.isEmpty else {
      throw UsageError("ctl conform needs --run COMMAND, which starts the client")
    }
    self.control = control
    self.command = command
    dialect = try Vendors.named(by: draft.dialect).scheme
    behaviours = try Self.behaviours(draft.only)
    jobs = draft.jobs ?? min(ProcessEnvironment.cores, Self.jobsMax)
    junit = draft.junit
    journals = try Self.folder(draft.journals)
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

  /// Those that are asked for, in the order of the list.
  static func behaviours(_ asked: [Arguments.Value]) throws -> [Behaviour] {
    var names: Set<String> = []
    for name in asked {
      if let present = formerNames[name.text] {
        Output.error("--only \(name.text): its name is \(present) now; the old one goes with the next version")
      }
      let text = formerNames[name.text] ?? name.text
      guard Behaviour.all.contains(where: { $0.name == text }) else {
        throw UsageError(name.source, value: name.text, oneOf: Behaviour.all.map(\.name))
      }
      names.insert(text)
    }
    return asked.isEmpty ? Behaviour.all : Behaviour.all.filter { names.contains($0.name) }
  }

  /// The present names of behaviours, by the names that they had in the last version.
  private static let formerNames = ["cut-off-by-time-out": "cut-off-by-timeout"]
}
