internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

/// The routes of announcements, for servers, e.g. `POST /v3/announcements`.
struct SendbirdAnnouncementRoutes: Sendable {
  private let announcer: SendbirdAnnouncer
  private let base: SendbirdChannelRoutes
  private let ask = SendbirdQuestion(of: "Announcement", "announcements")
  private var announcements: SendbirdAnnouncements { announcer.announcements }
  private var services: any GatewayServices { base.services }

  /// Creates the routes.
  ///
  /// - Parameters:
  ///   - announcer: The actor that sends announcements when they are due.
  ///   - channels: The channels in which they are sent.
  init(announcer: SendbirdAnnouncer, channels: SendbirdChannelRoutes) {
    self.announcer = announcer
    base = channels
  }

  var routes: [HTTPRoute] {
    let resource = base.resource
    let one = "/v3/announcements/{unique_id}"
    return [
      resource.route("POST", "/v3/announcements") { request throws(SendbirdError) in try await create(request) },
      resource.route("GET", "/v3/announcements") { request throws(SendbirdError) in try await list(request) },
      resource.route("GET", one) { request throws(SendbirdError) in
        try request.needsServer()
        return Self.answer(try await known(request))
      },
      resource.route("PUT", one) { request throws(SendbirdError) in try await update(request) },
    ]
  }

  private func known(_ request: SendbirdRequest) async throws(SendbirdError) -> SendbirdAnnouncement {
    let (id, now) = (Name(request.path["unique_id"]), services.wallTime)
    let found = try await ask { () throws(GatewayError) in try await announcements.announcement(id, at: now) }
    guard let found else { throw .notFound("Announcement") }
    return found
  }

  // MARK: Creating

  private func create(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    try request.needsServer()
    let (body, now) = (try request.body, services.wallTime)
    guard let message = try body.object("message") else { throw .missing("message") }
    let kind: SendbirdMessage.Kind
    switch try message.string("type", max: SendbirdLimits.customType) {
    case nil, "MESG": kind = .text
    case "ADMM": kind = .admin
    default: throw .invalid("message.type")
    }
    let sender = try message.user("user_id")
    let text = try message.requiredString("content", max: SendbirdLimits.message)
    guard
      let target = SendbirdAnnouncement.Target(
        rawValue: try body.requiredString("target_at", max: SendbirdLimits.customType))
    else { throw .invalid("target_at") }
    if target != .channels || kind == .text {
      guard let sender else { throw .missing("message.user_id") }
      guard try await base.directory.find(sender, at: now) != nil else { throw .notFound("User") }
    }
    let list = try body.strings("target_list", count: 1_000, max: SendbirdLimits.channelURL)
    guard target == .all || list?.isEmpty == false else { throw .missing("target_list") }
    // Without a time, or with a past one, it is sent now.
    let wanted = try body.time("scheduled_at") ?? now
    let announcement = SendbirdAnnouncement(
      try await id(body), group: try body.name("announcement_group", max: SendbirdLimits.customType) ?? "", kind: kind,
      sender: kind == .text || target != .channels ? sender : nil, text: text,
      data: try message.string("data", max: SendbirdLimits.messageData) ?? "",
      customType: try message.name("custom_type", max: SendbirdLimits.customType) ?? "", target: target,
      list: (list ?? []).map { Name($0) }, makesChannels: try body.bool("create_channel") ?? false,
      at: max(wanted, now), createdAt: now)
    try await ask { () throws(GatewayError) in try await announcements.add(announcement, at: now) }
    if announcement.at <= now { await announcer.look() } else { await announcer.look(at: announcement.at) }
    let kept = try await ask { () throws(GatewayError) in
      try await announcements.announcement(announcement.id, at: services.wallTime)
    }
    return Self.answer(kept ?? announcement)
  }

  /// Returns the name in the body, or a new unique one.
  private func id(_ body: SendbirdParameters) async throws(SendbirdError) -> Name {
    if let id = try body.string("unique_id", max: SendbirdLimits.channelURL), !id.isEmpty {
      guard id.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") }) else {
        throw .characterNotAllowed("unique_id")
      }
      return Name(id)
    }
    let chance = UInt64(await services.nextShare() * 0x1_0000_0000) | 0x1_0000_0000
    return Name("announcement_\(services.wallTime.milliseconds)_\(String(chance, radix: 16).dropFirst())")
  }

  // MARK: Changing

  /// Applies the body's `action`: pauses one that has not begun, resumes it, or cancels it.
  private func update(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    try request.needsServer()
    let id = try await known(request).id
    let (body, now) = (try request.body, services.wallTime)
    let time = try body.time("scheduled_at")
    let step: (from: Set<SendbirdAnnouncement.Status>, to: SendbirdAnnouncement.Status)
    switch try body.string("action", max: SendbirdLimits.customType) {
    case "pause": step = ([.scheduled], .paused)
    case "resume": step = ([.paused], .scheduled)
    case "cancel", "stop": step = ([.scheduled, .paused], .canceled)
    case nil where time != nil: step = ([.scheduled], .scheduled)
    case nil: throw .missing("action")
    default: throw .invalid("action")
    }
    let changed = try await ask { () throws(GatewayError) in
      try await announcements.change(id, from: step.from, at: now) { announcement in
        announcement.status = step.to
        if let time { announcement.at = max(time, now) }
      }
    }
    guard let changed else { throw .invalid("action") }
    if changed.status == .scheduled {
      if changed.at <= now { await announcer.look() } else { await announcer.look(at: changed.at) }
    }
    return Self.answer(try await known(request))
  }

  // MARK: Reading

  private func list(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    try request.needsServer()
    let all = try await ask { () throws(GatewayError) in try await announcements.all(at: services.wallTime) }
    let group = request.text("announcement_group").map { Name($0) }
    let status = request.text("status").map { Name($0) }
    let found = all.filter { announcement in
      group.map { $0 == announcement.group } != false
        && status.map { $0 == Name(announcement.status.rawValue) } != false
    }
    let page = try SendbirdPage(of: found, for: request, by: \.id.text)
    return SendbirdResource.answer { json in
      json.member("announcements", objects: page.items) { Self.write($0, to: &$1) }
      json.member("next", page.next)
    }
  }

  private static func answer(_ announcement: SendbirdAnnouncement) -> HTTPResponse {
    SendbirdResource.answer { write(announcement, to: &$0) }
  }

  private static func write(_ announcement: SendbirdAnnouncement, to json: inout JSONWriter) {
    json.member("unique_id", announcement.id.text)
    json.member("announcement_group", announcement.group.text)
    json.member("message") { json in
      json.member("type", announcement.kind.rawValue)
      json.member("user_id", announcement.sender?.rawValue ?? "")
      json.member("content", announcement.text)
      json.member("data", announcement.data)
      json.member("custom_type", announcement.customType.text)
    }
    json.member("target_at", announcement.target.rawValue)
    json.member("create_channel", announcement.makesChannels)
    json.member("enable_push", false)
    json.member("mark_as_read", false)
    json.member("scheduled_at", announcement.at.milliseconds)
    json.member("status", announcement.status.rawValue)
    json.member("completed_at", announcement.completedAt?.milliseconds ?? 0)
    json.member("target_channel_count", Int64(announcement.sentChannels))
    json.member("target_user_count", Int64(announcement.sentUsers))
    json.member("sent_channel_count", Int64(announcement.sentChannels))
    json.member("sent_user_count", Int64(announcement.sentUsers))
    // Whether an announcement was opened is not known.
    json.member("open_count", 0)
    json.name("open_rate")
    json.raw("0.0")
  }
}
