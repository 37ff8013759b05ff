import GatewayKit

/// One thing that `postern ctl` does: `expire`, for instance.
protocol ControlAction: Command {
  /// Its own flags, beside those that every action has.
  static var ownFlags: [Flag] { get }

  /// What it asks of the control port. `operand` is there if ``Command/operands`` names one.
  static func request(_ arguments: Arguments, _ operand: String?) throws -> ControlRequest

  /// The gateway's answer for a person.
  static func text(_ answer: ControlClient.Answer) -> String

  /// Why an answer that the gateway gives is no success; nil if it is one.
  static func failure(_ answer: ControlClient.Answer, _ arguments: Arguments) throws -> String?
}

extension ControlAction {
  static var ownFlags: [Flag] { [] }
  static func text(_ answer: ControlClient.Answer) -> String { answer.text }
  static func failure(_ answer: ControlClient.Answer, _ arguments: Arguments) throws -> String? { nil }

  /// The word behind `postern ctl`.
  static var word: String { String(name.dropFirst(ControlCommand.name.count + 1)) }

  static var sections: [FlagSection] {
    (ownFlags.isEmpty ? [] : [FlagSection("flags", ownFlags)]) + [ControlCommand.connection]
  }

  /// Runs it with the flags of `postern ctl`, of which it refuses those that are not its own.
  static func run(_ arguments: Arguments) async throws -> Int32 {
    let operands = Array(arguments.operands.dropFirst())
    guard operands.count == (Self.operands.isEmpty ? 0 : 1) else {
      throw UsageError("\(name) " + (Self.operands.isEmpty ? "takes flags only" : "needs \(Self.operands)"))
    }
    for flag in ControlCommand.flags where !flags.contains(where: { $0.name == flag.name }) {
      // What the environment or a file says may be meant for other actions.
      guard !arguments.values(flag.name).contains(where: { $0.source == "--\(flag.name)" }) else {
        throw UsageError("--\(flag.name) says nothing to \(name)")
      }
    }
    let request = try request(arguments, operands.first)
    let client = try ControlClient(
      url: arguments.string("url") ?? ControlCommand.usualURL,
      secret: arguments.secret("control-secret-file"))
    let answer = try await client.send(request)
    if answer.status >= 400 {
      Output.error(ControlText.error(answer))
      return 1
    }
    let failure = try failure(answer, arguments)
    if try arguments.isOn("json") {
      Output.line(answer.text)
    } else if failure == nil {
      Output.line(text(answer))
    }
    guard let failure else { return 0 }
    Output.error(failure)
    return 1
  }
}
