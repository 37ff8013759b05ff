import GatewayCore
import GatewayKit

extension ControlAction {
  /// The help page of the action.
  var page: CommandPage {
    CommandPage(
      name: "\(ControlCommand.name) \(word)", summary: summary, operands: operand,
      example: "postern \(ControlCommand.name) \(example)",
      sections: (flags.isEmpty ? [] : [FlagSection("flags", flags)]) + [ControlConnection.section])
  }

  /// Runs the action. Rejects flags of `postern ctl` that do not belong to it.
  func run(_ arguments: Arguments) async throws -> Int32 {
    let operands = Array(arguments.operands.dropFirst())
    let most = operand.isEmpty ? 0 : 1
    // An operand in brackets may be missing, as in the help.
    let least = operand.utf8.first == UInt8(ascii: "[") ? 0 : most
    guard operands.count >= least else { throw UsageError("\(page.name) needs \(operand), as in \(page.example)") }
    guard operands.count <= most else {
      throw UsageError(
        "\(page.name): '\(operands[most])' is unexpected; what follows goes with flags, as in \(page.example)")
    }
    try ControlCommand.refuseOthers(arguments, than: page)
    let connection = try ControlConnection(arguments)
    var (request, telling) = try order(arguments, Call(operand: operands.first, space: connection.space))
    if let space = connection.space {
      request.path = "/spaces/\(PercentEncoding.encode(space))\(request.path)"
    }
    if let node = connection.node { request.query.append(HTTPField("node", node)) }
    let answer = try await connection.client().send(request)
    if answer.status >= 400 {
      Output.error(answer.complaint)
      return 1
    }
    let failure = failure(answer, telling)
    if connection.printsJSON {
      Output.line(answer.text)
    } else if failure == nil {
      Output.line(text(answer, telling))
    }
    guard let failure else { return 0 }
    Output.error(failure)
    return 1
  }

  /// Returns the gateway's answer as text for people.
  private func text(_ answer: ControlClient.Answer, _ telling: Telling) -> String {
    switch telling {
    case .verbatim: answer.text
    case .reach: ControlText.reached(answer)
    case .sessions: ControlText.sessions(answer)
    case .verdict: ControlText.verdict(answer)
    case .lines: ControlText.journal(answer)
    case .reload: ControlText.reloaded(answer)
    case .table: ControlTable.text(answer.data) ?? answer.text
    case .knownFaults: ControlTable.knownFaults(answer.data) ?? answer.text
    case .words(let words): words
    }
  }

  /// Returns why an answer without an error status is still a failure; nil if it is a success.
  private func failure(_ answer: ControlClient.Answer, _ telling: Telling) -> String? {
    if telling == .verdict { return ControlText.failedVerdict(answer) }
    if telling == .reload { return ControlText.failedReload(answer) }
    if telling == .lines { return ControlText.unmetWait(answer) }
    guard case .reach(let user?) = telling, ControlText.sessionsReached(answer) == 0 else { return nil }
    return "the user '\(user)' has no session"
  }
}
