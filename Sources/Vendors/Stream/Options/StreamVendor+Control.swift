internal import GatewayCore
package import GatewayKit

// The requests of `postern ctl` about calls.

extension StreamVendor {
  package static let controlActions = [
    ControlAction(
      "stream-fail", "let a recording, transcription or broadcast of a call of Stream's fail",
      example: "stream-fail --call default:standup --what recording",
      flags: [
        Flag("call", "CID", "the call: its type, a colon and its id"),
        Flag("what", "KIND", StreamControlRoutes.words.joined(separator: ", ")),
        Flag("broadcast", "NAME", "which of the RTMP broadcasts"),
      ]
    ) { arguments, _ in
      guard let what = arguments.string("what") else {
        throw UsageError("ctl stream-fail needs --what \(StreamControlRoutes.words.joined(separator: "|"))")
      }
      return .post(
        "\(try path(arguments))/fail",
        [JSONMember("what", what)] + (arguments.string("broadcast").map { [JSONMember("name", $0)] } ?? []))
    },
    ControlAction(
      "stream-frame", "tell that a frame of a call of Stream's was recorded",
      example: "stream-frame --call default:standup",
      flags: [Flag("call", "CID", "the call: its type, a colon and its id")]
    ) { arguments, _ in .post("\(try path(arguments))/frame") },
  ]

  private static func path(_ arguments: Arguments) throws -> String {
    guard let call = arguments.string("call").flatMap({ CallID(cid: $0) }) else {
      throw UsageError("ctl stream-… needs --call TYPE:ID")
    }
    return "/stream/calls/\(PercentEncoding.encode(call.type))/\(PercentEncoding.encode(call.id))"
  }
}
