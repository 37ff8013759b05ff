internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

// Calls over HTTP, with their access rules.

extension PlainRoutes {
  func getOrCreate(_ request: HTTPRequest, _ call: CallID) async throws(GatewayError) -> HTTPResponse {
    let caller = try await caller(request, of: call)
    try JSONObject.read(request.body, isOptional: true) { _ in }
    let record = try await directory.getOrCreateCall(call, by: caller.user, at: services.wallTime)
    return Self.answer(record, status: record.isNew ? 201 : 200)
  }

  func get(_ request: HTTPRequest, _ call: CallID) async throws(GatewayError) -> HTTPResponse {
    _ = try await caller(request, of: call)
    guard let record = try await directory.call(call, at: services.wallTime) else {
      throw .notFound.detailed("there is no call \(call)")
    }
    return Self.answer(record, status: 200)
  }

  func join(_ request: HTTPRequest, _ call: CallID) async throws(GatewayError) -> HTTPResponse {
    let caller = try await caller(request, of: call)
    try JSONObject.read(request.body, isOptional: true) { _ in }
    return Self.answer(try await directory.join(call, user: caller.user, at: services.wallTime), status: 200)
  }

  func publish(_ request: HTTPRequest, _ call: CallID) async throws(GatewayError) -> HTTPResponse {
    let caller = try await caller(request, of: call)
    guard caller.kind != .anonymous else { throw .notPermitted.detailed("anonymous users publish nothing") }
    let content = try JSONObject.read(request.body) { (body) throws(GatewayError) in
      try body.verbatim("content", depth: PlainDialect.contentDepthMax)
    }
    guard let content else { throw .invalidParameter.detailed("content is missing; it must be a JSON value") }
    guard try await directory.isMember(caller.user, of: call, at: services.wallTime) else {
      throw .notAMember.detailed("POST to the call's join")
    }
    services.announce(CallEvent(call: call, user: caller.user, kind: .message(content: content)))
    return HTTPResponse(status: 202, json: JSONWriter.object { $0.member("cid", call.cid) })
  }

  private static func answer(_ record: CallRecord, status: Int) -> HTTPResponse {
    let answer = JSONWriter.object(capacity: 128 + 16 * record.members.count) { json in
      json.member("cid", record.id.cid)
      json.member("created_by", record.createdBy.rawValue)
      json.member("created_at", secondsOf: record.createdAt.nanoseconds)
      json.member("members", strings: record.members.lazy.map(\.rawValue))
    }
    return HTTPResponse(status: status, json: answer)
  }

  /// Returns the token of a caller with access to `call`: a user with an authenticated connection, or an anonymous one
  /// whose call token lists the call.
  private func caller(_ request: HTTPRequest, of call: CallID) async throws(GatewayError) -> VerifiedToken {
    let token = try await authenticator.token(of: request, for: PlainDialect.name, on: services)
    switch token.kind {
    case .anonymous:
      guard token.expiresAt != nil, let calls = token.calls, calls.count <= TokenOrder.callsMax else {
        throw .claimInvalid.detailed("a call token needs exp, and call_cids of 1 to \(TokenOrder.callsMax) calls")
      }
    case .regular, .guest:
      guard await services.isConnected(token.user) else { throw .connectionRequired }
    }
    guard token.calls?.contains(call) ?? true else { throw .callNotPermitted }
    return token
  }
}
