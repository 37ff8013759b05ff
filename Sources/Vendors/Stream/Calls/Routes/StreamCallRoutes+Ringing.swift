internal import GatewayCore
internal import GatewayJSON

// Ringing, accepting and rejecting.

extension StreamCallRoutes {
  var ringRoutes: [HTTPRoute] {
    resource("POST", "/ring", "RingCall", acting: .user) { asked throws(StreamError) in
      let chosen = try asked.body.strings("members_ids").map { Set($0.map { UserID($0) }) }
      var wish = try StreamCallWish(asked.body)
      wish.rings = true
      let call = try await calls.known(asked.id, for: asked.rights)
      try asked.rights.check(.joinCall, in: call)
      let users = try await rung(call, by: asked.user?.id).filter { chosen?.contains($0) ?? true }
      _ = try await ring(asked, call, wish, users)
      return StreamAnswer(201) { $0.member("members_ids", strings: users.map(\.rawValue)) }
    }
      + resource("POST", "/accept", "AcceptCall", acting: .user) { asked throws(StreamError) in
        let user = try asked.actingUser().id
        try await answer(asked, .accepted(by: user), accepts: true)
        return StreamAnswer(201)
      }
      + resource("POST", "/reject", "RejectCall", acting: .user) { asked throws(StreamError) in
        let user = try asked.actingUser().id
        let reason = try asked.body.string("reason", max: 255)
        try await answer(asked, .rejected(by: user, reason: reason), accepts: false)
        return StreamAnswer(201)
      }
  }

  private func answer(
    _ asked: StreamCallRequest, _ answer: StreamCallEvent.Kind, accepts: Bool
  ) async throws(StreamError) {
    let user = try asked.actingUser().id
    let (rights, now) = (asked.rights, asked.now)
    _ = try await calls.change(asked.id, by: user, at: now, also: { _ in [answer] }) { (call) throws(GatewayError) in
      try rights.demand(.joinCall, in: call)
      call.answer(user, accepts: accepts, at: now)
      // If the caller gives up, the others have missed the call.
      if !accepts, user == call.createdBy, let session = call.liveSession {
        call.miss(session.ringing, of: session.id, at: now)
      }
    }
  }

  /// Throws if the request rings without the right to, or if there is no member to ring.
  func checkRing(
    _ asked: StreamCallRequest, _ wish: StreamCallWish, _ call: StreamCall
  ) async throws(StreamError) {
    guard wish.rings || wish.notifies else { return }
    guard asked.request.caller.kind != .anonymous else { throw .notAllowed("anonymous users cannot ring") }
    try asked.rights.check(.joinCall, in: call)
    if wish.rings, try await rung(call, by: asked.user?.id).isEmpty { throw Self.nobodyToRing }
  }

  private static let nobodyToRing = StreamError.input("no users to ring")

  /// Returns the members to ring: all except the caller.
  private func rung(_ call: StreamCall, by user: UserID?) async throws(StreamError) -> [UserID] {
    do throws(GatewayError) {
      return try await calls.directory.members(of: call, at: calls.services.wallTime) { $0.user != user }.map(\.user)
    } catch {
      throw StreamError(error)
    }
  }

  /// Rings and notifies as `wish` says; returns the call afterwards.
  func ring(_ asked: StreamCallRequest, _ call: StreamCall, _ wish: StreamCallWish) async throws(StreamError)
    -> StreamCall
  {
    guard wish.rings || wish.notifies else { return call }
    try await checkRing(asked, wish, call)
    return try await ring(asked, call, wish, rung(call, by: asked.user?.id))
  }

  private func ring(
    _ asked: StreamCallRequest, _ call: StreamCall, _ wish: StreamCallWish, _ users: [UserID]
  ) async throws(StreamError) -> StreamCall {
    if wish.rings && users.isEmpty { throw Self.nobodyToRing }
    let now = asked.now
    var ring: StreamRing?
    let change = try await calls.change(
      asked.id, by: asked.rights.user, at: now,
      ring: { call in
        ring = wish.rings ? StreamCallRinger.ring(for: users, of: call, at: now) : nil
        return ring
      },
      also: { made in
        let session = made.after.liveSession?.id ?? ""
        let user = asked.user?.id ?? made.after.createdBy
        return (wish.rings ? [.ring(by: user, session: session, to: users)] : [])
          + (wish.notifies ? [.notification(by: user, session: session, to: users)] : [])
      }
    ) { call in
      if let isVideo = wish.isVideo { call.isVideo = isVideo }
      if wish.rings { call.ring(users, at: now) }
    }
    if let ring { await ringer.look(at: ring.endsAt) }
    return change.after
  }
}
