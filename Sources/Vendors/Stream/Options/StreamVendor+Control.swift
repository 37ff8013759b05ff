internal import GatewayCore
package import GatewayKit

// The requests of `postern ctl` about calls.

extension StreamVendor {
  package static let controlActions = [
    ControlAction(
      "stream-fail", "make a recording, transcription or broadcast of a Stream call fail",
      example: "stream-fail --call default:standup --what recording", options: call + failure, from: CallDraft()
    ) { draft, _ in
      guard let what = draft.what else {
        throw UsageError("ctl stream-fail needs --what \(StreamControlRoutes.words.joined(separator: "|"))")
      }
      return .post(
        "\(try path(draft))/fail",
        [JSONMember("what", what)] + (draft.broadcast.map { [JSONMember("name", $0)] } ?? []))
    },
    ControlAction(
      "stream-frame", "report that a frame of a Stream call was recorded",
      example: "stream-frame --call default:standup", options: call, from: CallDraft()
    ) { draft, _ in .post("\(try path(draft))/frame") },
  ]

  private struct CallDraft: Sendable {
    var call: String?
    var what: String?
    var broadcast: String?
  }

  private static let call: [Option<CallDraft>] = [
    Option("call", "CID", "the Stream call, as type:id", \.call, .text)
  ]

  private static let failure: [Option<CallDraft>] = [
    Option("what", "KIND", "what fails: " + StreamControlRoutes.words.joined(separator: ", "), \.what, .text),
    Option("broadcast", "NAME", "the name of the RTMP broadcast that fails", \.broadcast, .text),
  ]

  private static func path(_ draft: CallDraft) throws -> String {
    guard let call = draft.call.flatMap({ CallID(cid: $0) }) else {
      throw UsageError("ctl stream-… needs --call TYPE:ID")
    }
    return "/stream/calls/\(PercentEncoding.encode(call.type))/\(PercentEncoding.encode(call.id))"
  }
}
