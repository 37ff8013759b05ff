internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

/// The routes of scheduled messages, for their senders and for servers acting for them, e.g. `POST
/// …/scheduled_messages`.
struct SendbirdScheduleRoutes: Sendable {
  private let base: SendbirdChannelRoutes
  private let scheduler: SendbirdScheduler
  private let ask = SendbirdQuestion(of: "ScheduledMessage", "scheduled messages")
  private var schedule: SendbirdSchedule { scheduler.schedule }
  private var services: any GatewayServices { base.services }

  /// Creates the routes.
  ///
  /// - Parameters:
  ///   - scheduler: The actor that sends the messages when they are due.
  ///   - channels: The channels, which decide who may send.
  init(scheduler: SendbirdScheduler, channels: SendbirdChannelRoutes) {
    self.scheduler = scheduler
    base = channels
  }

  var routes: [HTTPRoute] {
    let resource = base.resource
    let all = SendbirdChannelRoutes.path(.group) + "/{channel_url}/scheduled_messages"
    let one = all + "/{scheduled_message_id}"
    return [
      resource.route("POST", all) { request throws(SendbirdError) in try await create(request) },
      resource.route("GET", one) { request throws(SendbirdError) in
        Self.answer(try await known(request))
      },
      resource.route("PUT", one) { request throws(SendbirdError) in try await update(request) },
      resource.route("DELETE", one) { request throws(SendbirdError) in
        Self.answer(try await changed(request) { $0.status = .canceled })
      },
      resource.route("POST", one + "/send_now") { request throws(SendbirdError) in try await sendNow(request) },
      resource.route("GET", "/v3/scheduled_messages") { request throws(SendbirdError) in try await list(request) },
      resource.route("GET", "/v3/scheduled_messages/count") { request throws(SendbirdError) in
        let count = try await found(request).count
        return SendbirdResource.answer { $0.member("count", Int64(count)) }
      },
    ]
  }

  // MARK: Creating

  private func create(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    try request.needsWriter()
    let (channel, body, now) = (try await base.known(.group, request), try request.body, services.wallTime)
    let kind = try body.messageKind
    guard let id = request.actor(try body.user("user_id")) else { throw .missing("user_id") }
    guard let sender = try await base.directory.find(id, at: now) else { throw .notFound("User") }
    guard try await base.member(id, of: channel)?.state == .joined else { throw .notAuthorized }
    guard let time = try body.time("scheduled_at") else { throw .missing("scheduled_at") }
    guard time > now else { throw .outOfRange("scheduled_at") }
    let message = try SendbirdMessageDraft(kind, body).message(in: channel.url, by: sender, at: now)
    let scheduled = try await ask { () throws(GatewayError) in
      try await schedule.add(SendbirdScheduled(message, at: time, createdAt: now), at: now)
    }
    await scheduler.look(at: time)
    return Self.answer(scheduled)
  }

  private func update(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    let (body, now) = (try request.body, services.wallTime)
    let (change, time) = (try SendbirdMessageChange(body), try body.time("scheduled_at"))
    if let time, time <= now { throw .outOfRange("scheduled_at") }
    let scheduled = try await changed(request) { scheduled in
      change.apply(to: &scheduled.message, at: now)
      // A scheduled message that was edited is not sent as an edited message.
      scheduled.message.updatedAt = nil
      if let time { scheduled.at = time }
    }
    await scheduler.look(at: scheduled.at)
    return Self.answer(scheduled)
  }

  private func sendNow(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    try request.needsWriter()
    let id = try await known(request).id
    let sent = try await ask { () throws(GatewayError) in try await scheduler.send(id) }
    guard let sent else { throw .notFound("ScheduledMessage") }
    return Self.answer(sent)
  }

  private func changed(
    _ request: SendbirdRequest, _ change: (inout SendbirdScheduled) -> Void
  ) async throws(SendbirdError) -> SendbirdScheduled {
    try request.needsWriter()
    let id = try await known(request).id
    let changed = try await ask { () throws(GatewayError) in
      try await schedule.changePending(id, at: services.wallTime, change)
    }
    guard let changed else { throw .notFound("ScheduledMessage") }
    return changed
  }

  // MARK: Reading

  /// Returns the scheduled message in the path, which its sender may see.
  private func known(_ request: SendbirdRequest) async throws(SendbirdError) -> SendbirdScheduled {
    guard let id = Int64(request.path["scheduled_message_id"]) else { throw .notNumber("scheduled_message_id") }
    let found = try await ask { () throws(GatewayError) in
      try await id > 0 ? schedule.scheduled(id, at: services.wallTime) : nil
    }
    guard let found, found.message.channelURL == request.channelURL else { throw .notFound("ScheduledMessage") }
    if case .user(let user, _) = request.caller, found.message.sender?.id != user { throw .notAuthorized }
    return found
  }

  private func found(_ request: SendbirdRequest) async throws(SendbirdError) -> [SendbirdScheduled] {
    let url = request.text("channel_url").map { Name($0) }
    let sender = request.actor(request.text("sender_id").map { UserID($0) })
    // The vendor has further statuses, which never occur here.
    let statuses = request.texts("status") ?? request.texts("scheduled_status")
    let kind = request.text("message_type").flatMap { SendbirdMessage.Kind(rawValue: $0) }
    return try await ask { () throws(GatewayError) in
      try await schedule.all(at: services.wallTime) { scheduled in
        let message = scheduled.message
        if let url, message.channelURL != url { return false }
        if let sender, message.sender?.id != sender { return false }
        if let statuses, !statuses.contains(Name(scheduled.status.rawValue)) { return false }
        return kind == nil || message.kind == kind
      }
    }
  }

  private func list(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    var all = try await found(request)
    switch request.text("order") {
    case nil, "created_at": break
    case "scheduled_at": all.sort { ($0.at, $0.id) < ($1.at, $1.id) }
    default: throw .invalid("order")
    }
    if try request.flag("reverse") ?? false { all.reverse() }
    let page = try SendbirdPage(of: all, for: request, by: { String($0.id) })
    return SendbirdResource.answer { json in
      json.member("scheduled_messages", objects: page.items) { Self.write($0, to: &$1) }
      json.member("next", page.next)
    }
  }

  private static func answer(_ scheduled: SendbirdScheduled) -> HTTPResponse {
    SendbirdResource.answer { write(scheduled, to: &$0) }
  }

  private static func write(_ scheduled: SendbirdScheduled, to json: inout JSONWriter) {
    json.member("scheduled_message_id", scheduled.id)
    json.member("scheduled_at", scheduled.at.milliseconds)
    json.member("scheduled_status", scheduled.status.rawValue)
    SendbirdMessageObject(scheduled.message, .group).writeMembers(to: &json)
  }
}
