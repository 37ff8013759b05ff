internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

/// Routes on the control port by which an operator acts on calls, e.g. to make a recording fail or a frame ready
/// without media. `Deploy/api/control.yaml` describes them.
struct StreamControlRoutes: Sendable {
  let calls: StreamCalls

  /// The kinds by the names in the events.
  private static let kinds: [(name: String, kind: StreamEgress.Kind)] = [
    ("recording", .composite), ("individual_recording", .individual), ("raw_recording", .raw),
    ("transcription", .transcription), ("closed_captions", .captions), ("hls_broadcasting", .hls),
    ("frame_recording", .frames),
  ]

  static let words = kinds.map(\.name) + ["rtmp_broadcast"]

  var routes: [HTTPRoute] {
    // Errors have the control API's own format, not the dialect's.
    let group = RouteGroup { (error: GatewayError) in
      var answer = HTTPResponse(status: error.httpStatus, json: JSONWriter.object { $0.member("error", error) })
      if answer.status == 503 { answer.headers.append(.retryAfter(.seconds(5))) }
      return answer
    }
    return [
      group.route("POST", "/stream/calls/{type}/{id}/fail") { request, parameters throws(GatewayError) in
        try await fail(request, Self.call(parameters))
      },
      group.route("POST", "/stream/calls/{type}/{id}/frame") { _, parameters throws(GatewayError) in
        try await takeFrame(of: Self.call(parameters))
      },
    ]
  }

  private static func call(_ parameters: PathParameters) throws(GatewayError) -> CallID {
    guard let call = CallID(cid: "\(parameters["type"]):\(parameters["id"])") else {
      throw .notFound.detailed("no call can have this type and id")
    }
    return call
  }

  /// Ends a running egress with a `…_failed` event and without its file.
  private func fail(_ request: HTTPRequest, _ call: CallID) async throws(GatewayError) -> HTTPResponse {
    let order = try JSONObject.read(request.body) { (body) throws(GatewayError) in
      (what: try body.string("what") ?? "", name: try body.string("name"))
    }
    let kind = Self.kinds.first { $0.name.utf8.elementsEqual(order.what.utf8) }?.kind
    guard kind != nil || order.what.utf8.elementsEqual("rtmp_broadcast".utf8) else {
      throw .invalidParameter.detailed("what must be one of \(Self.words.joined(separator: ", "))")
    }
    guard kind != nil || order.name != nil else {
      throw .invalidParameter.detailed("name must say which of the broadcasts fails")
    }
    _ = try await calls.changeInTurn(call, by: nil, at: calls.services.wallTime) { (call) throws(GatewayError) in
      let wasOn = call.changeEgress { egress in
        kind.map { egress.fail($0) } ?? egress.failBroadcast(order.name ?? "")
      }
      guard wasOn else { throw .notFound.detailed("nothing of that kind is on in the call") }
    }
    return HTTPResponse(status: 200, json: JSONWriter.object { $0.member("failed", order.what) })
  }

  /// Sends the event of a recorded frame, with the call's participants.
  private func takeFrame(of id: CallID) async throws(GatewayError) -> HTTPResponse {
    let now = calls.services.wallTime
    guard let call = try await calls.directory.call(id, at: now) else {
      throw .notFound.detailed("there is no call \(id)")
    }
    guard let run = call.egress?.runs[.frames] else { throw .notFound.detailed("no frames of the call are recorded") }
    await calls.tell([.frame(run)], of: call, at: now)
    return HTTPResponse(status: 200, json: JSONWriter.object { $0.member("egress_id", run.id) })
  }
}
