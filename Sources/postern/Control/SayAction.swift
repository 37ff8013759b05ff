import GatewayControl
import GatewayCore
import GatewayKit
import GatewayRuntime

extension ControlAction {
  static let say = ControlAction(
    "say", "send a message of yours to clients; their sessions do not change", operand: "[TEXT]",
    example: #"say --user ann '{"type":"notice"}'"#, options: AimedOrder.options(saying), from: AimedOrder(SayDraft()),
    tellingBy: { .reach(user: $0.user) }
  ) { aimed, call in
    try .post(try aimed.path(to: "say"), try order(aimed.order, text: call.operandGiven))
  }

  private struct SayDraft: Sendable {
    /// The file of a binary message.
    var file: Arguments.Value?
    var mean: String?
  }

  @OptionList<SayDraft>
  private static var saying: [Option<SayDraft>] {
    Option("binary", "FILE", "the file with a binary message, at most 65,536 bytes, instead of TEXT", \.file, .asGiven)
    Option(
      "mean", "MEANING", "send the wire's own message for this instead of TEXT; request:refresh asks for a token",
      \.mean, .text)
  }

  private static func order(_ draft: SayDraft, text: String?) throws -> SayOrder {
    guard [text, draft.file?.text, draft.mean].count(where: { $0 != nil }) == 1 else {
      throw UsageError("ctl say needs one of TEXT, --binary FILE and --mean MEANING")
    }
    let bytes = try draft.file.map { try InputFile.read($0.text, of: $0, sizeMax: Saying.sizeMax) }
    return SayOrder(text: text, base64: bytes.map(Base64.encode), mean: draft.mean)
  }
}
