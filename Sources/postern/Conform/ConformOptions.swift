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

  static let flags = [
    Vendors.flag("dialect", "the wire that the client speaks"),
    Flag("run", "COMMAND", "starts the client, in a shell, with POSTERN_URL and what else it needs"),
    Flag("only", "BEHAVIOUR", "this one only", repeats: true),
    Flag("list", nil, "list the behaviours, and start nothing"),
    Flag("jobs", "N", "how many clients at once (default: as many as there are processors)"),
    Flag("junit", "FILE", "write the results as JUnit's XML"),
    Flag("journals", "FOLDER", "write the journal of each that failed, in JSON Lines"),
  ]

  private static let jobsMax = 64

  init(_ arguments: Arguments, control: ControlClient) throws {
    guard let command = arguments.string("run"), !command.isEmpty else {
      throw UsageError("ctl conform needs --run COMMAND, which starts the client")
    }
    self.control = control
    self.command = command
    dialect = try Vendors.named(by: "dialect", arguments).scheme
    behaviours = try Self.behaviours(arguments)
    jobs =
      try arguments.int("jobs", in: 1...Self.jobsMax) ?? min(ProcessEnvironment.cores, Self.jobsMax)
    junit = try OutputFile(arguments, "junit")
    journals = try Self.folder(arguments)
  }

  /// The folder for journals, made if need be. Throws if it cannot be, before any client has started.
  private static func folder(_ arguments: Arguments) throws -> String? {
    guard let folder = arguments.value("journals") else { return nil }
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
  static func behaviours(_ arguments: Arguments) throws -> [Behaviour] {
    let asked = arguments.values("only")
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
