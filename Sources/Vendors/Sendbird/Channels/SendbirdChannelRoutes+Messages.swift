internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

// Messages of channels over HTTP.

extension SendbirdChannelRoutes {
  func messageRoutes(_ kind: SendbirdChannel.Kind) -> [HTTPRoute] {
    let one = Self.path(kind) + "/{channel_url}"
    let all = one + "/messages"
    let message = all + "/{message_id}"
    var routes = [
      resource.route("POST", all) { request throws(SendbirdError) in try await send(kind, request) },
      resource.route("GET", all) { request throws(SendbirdError) in try await messages(kind, request) },
      resource.route("GET", all + "/total_count") { request throws(SendbirdError) in
        try await count(kind, request)
      },
      resource.route("GET", one + "/messages_gap") { request throws(SendbirdError) in
        try await gap(kind, request)
      },
    ]
    if kind == .group {
      routes += [
        resource.route("PUT", all + "/mark_as_read") { request throws(SendbirdError) in
          try await markRead(request)
        },
        resource.route("PUT", all + "/mark_as_delivered") { request throws(SendbirdError) in
          try await markDelivered(request)
        },
        resource.route("POST", one + "/typing") { request throws(SendbirdError) in
          try await type(.typingStarted, request)
        },
        resource.route("DELETE", one + "/typing") { request throws(SendbirdError) in
          try await type(.typingEnded, request)
        },
      ]
    }
    return routes + [
      resource.route("GET", message) { request throws(SendbirdError) in try await oneMessage(kind, request) },
      resource.route("PUT", message) { request throws(SendbirdError) in try await edit(kind, request) },
      resource.route("DELETE", message) { request throws(SendbirdError) in try await deleteMessage(kind, request) },
    ]
  }

  // MARK: Sending

  private func send(
    _ kind: SendbirdChannel.Kind, _ request: SendbirdRequest
  ) async throws(SendbirdError) -> HTTPResponse {
    try request.needsWriter()
    let channel = try await known(kind, request)
    let body = try request.body
    let type = try messageKind(body)
    let sender = try await sender(type, request, body)
    let now = services.wallTime
    let file = type == .file ? try await storage.keep("file", of: request, at: now) : nil
    let draft = try SendbirdMessageDraft(type, body, file: file.map { SendbirdMessage.File($0) })
    let message = draft.message(in: channel.url, by: sender, at: now)
    // A server may send for a user who is not in the open channel, since a server has no connection to enter with.
    let needsPresence = kind == .group || !request.isServer
    let delivery = try await ask { () throws(SendbirdChannelRefusal) in
      try await channels.send(message, asking: draft.poll, needsPresence: needsPresence, at: now) {
        await events.sent(Self.command(type), $0, except: nil, on: services)
      }
    }
    if draft.isPinned { try await pin(delivery.message.id, true, in: channel.url) }
    return Self.answer(delivery.message, kind)
  }

  private func messageKind(_ body: SendbirdParameters) throws(SendbirdError) -> SendbirdMessage.Kind {
    guard let name = try body.string("message_type", max: SendbirdLimits.customType) else {
      throw .missing("message_type")
    }
    guard let kind = SendbirdMessage.Kind(rawValue: name) else { throw .invalid("message_type") }
    return kind
  }

  /// Returns the sender; nil for an admin message, which only servers send.
  private func sender(
    _ kind: SendbirdMessage.Kind, _ request: SendbirdRequest, _ body: SendbirdParameters
  ) async throws(SendbirdError) -> SendbirdUser? {
    if kind == .admin {
      try request.needsServer()
      return nil
    }
    guard let id = request.actor(try body.user("user_id")) else { throw .missing("user_id") }
    guard let user = try await directory.find(id, at: services.wallTime) else { throw .notFound("User") }
    guard user.isActive else { throw .userDeactivated }
    return user
  }

  static func command(_ kind: SendbirdMessage.Kind) -> StaticString {
    switch kind {
    case .text: "MESG"
    case .file: "FILE"
    case .admin: "ADMM"
    }
  }

  /// Returns the command that announces a change.
  static func changeCommand(_ kind: SendbirdMessage.Kind) -> StaticString {
    switch kind {
    case .text: "MEDI"
    case .file: "FEDI"
    case .admin: "AEDI"
    }
  }

  private func edit(
    _ kind: SendbirdChannel.Kind, _ request: SendbirdRequest
  ) async throws(SendbirdError) -> HTTPResponse {
    try request.needsWriter()
    let channel = try await known(kind, request)
    let change = try SendbirdMessageChange(try request.body)
    let id = try messageID(request)
    let now = services.wallTime
    let delivery = try await ask { () throws(SendbirdChannelRefusal) in
      try await channels.edit(
        id, in: channel.url, by: request.actor(nil), at: now,
        telling: { await events.changed(Self.changeCommand($0.message.kind), $0, except: nil, on: services) }
      ) { change.apply(to: &$0, at: now) }
    }
    return Self.answer(delivery.message, kind)
  }

  /// Deletes a message. A user may delete their own, an operator of the channel any, and so may a server.
  private func deleteMessage(
    _ kind: SendbirdChannel.Kind, _ request: SendbirdRequest
  ) async throws(SendbirdError) -> HTTPResponse {
    try request.needsWriter()
    let channel = try await known(kind, request)
    let id = try messageID(request)
    let user = request.actor(nil)
    let owner = user.flatMap { channel.isOperator($0) ? nil : $0 }
    let now = services.wallTime
    _ = try await ask { () throws(SendbirdChannelRefusal) in
      try await channels.deleteMessage(id, in: channel.url, by: owner, at: now) {
        await events.deleted($0, on: services)
      }
    }
    return SendbirdResource.answer()
  }

  private func markRead(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    let channel = try await known(.group, request)
    let body = try request.body
    guard let user = request.actor(try body.user("user_id")) else { throw .missing("user_id") }
    if try body.bool("is_excluded") ?? false {
      guard let id = try body.integer("message_id") else { throw .missing("message_id") }
      return try await markUnread(channel.url, from: id, user)
    }
    try await markRead(channel.url, user)
    return SendbirdResource.answer()
  }

  private func markDelivered(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    let channel = try await known(.group, request)
    guard let user = request.actor(try request.body.user("user_id")) else { throw .missing("user_id") }
    let now = services.wallTime
    _ = try await ask { () throws(SendbirdChannelRefusal) in
      try await channels.markDelivered(channel.url, user: user, at: now) {
        await events.delivered($0, to: user, at: now, on: services)
      }
    }
    return SendbirdResource.answer { $0.member("ts", now.milliseconds) }
  }

  /// Announces the members that a server reports as typing.
  private func type(
    _ category: SendbirdChannelEvents.Category, _ request: SendbirdRequest
  ) async throws(SendbirdError) -> HTTPResponse {
    try request.needsServer()
    let channel = try await known(.group, request)
    guard let users = try request.body.users("user_ids") else { throw .missing("user_ids") }
    let listening = try await ask { () throws(SendbirdChannelRefusal) in
      try await channels.listening(channel.url, at: services.wallTime) { channel in
        guard channel.joined.isSuperset(of: users) else { return }
        for user in users {
          let others = channel.joined.subtracting([user])
          await events.event(category, of: user, in: channel, to: others, on: services)
        }
      }
    }
    guard listening.joined.isSuperset(of: users) else { throw .notAMember }
    return SendbirdResource.answer()
  }

  // MARK: Reading

  private func messages(
    _ kind: SendbirdChannel.Kind, _ request: SendbirdRequest
  ) async throws(SendbirdError) -> HTTPResponse {
    let channel = try await visible(kind, request)
    var query = try query(request)
    query.since = try await history(of: channel, request)
    var found = try await ask { [query] () throws(SendbirdChannelRefusal) in
      try await channels.messages(of: channel.url, query, at: services.wallTime)
    }
    if try request.flag("reverse") ?? false { found.reverse() }
    // A client expects the parent message first in the list of a thread.
    if case .to(let parent) = query.replies {
      let first = try await ask { () throws(SendbirdChannelRefusal) in
        try await channels.message(parent, in: channel.url, at: services.wallTime)
      }
      found.insert(first, at: 0)
    }
    return SendbirdResource.answer { json in
      json.name("messages")
      json.beginArray()
      for message in found { SendbirdMessageObject(message, kind, viewer: request.actor(nil)).write(to: &json) }
      json.endArray()
    }
  }

  private func query(_ request: SendbirdRequest) throws(SendbirdError) -> SendbirdMessageQuery {
    let point: SendbirdMessageQuery.Point
    // One client sends both at once, and means the time if the id is 0.
    if let text = request.text("message_id"), text != "0" {
      guard let id = Int64(text) else { throw .notNumber("message_id") }
      point = .message(id)
    } else if let time = try request.time("message_ts") {
      point = .time(time)
    } else {
      throw .missing("message_ts")
    }
    var query = SendbirdMessageQuery(
      around: point, before: try request.number("prev_limit", default: 15, max: SendbirdLimits.messagesOfSide),
      after: try request.number("next_limit", default: 15, max: SendbirdLimits.messagesOfSide),
      includesPoint: try request.flag("include") ?? true)
    try filter(&query, request)
    return query
  }

  /// Reads the filter for kinds of messages.
  func filter(_ query: inout SendbirdMessageQuery, _ request: SendbirdRequest) throws(SendbirdError) {
    switch request.text("include_reply_type")?.lowercased() {
    case nil, "none": query.replies = .none
    case "all": query.replies = .all
    case "only_reply_to_channel": query.replies = .toChannel
    default: throw .invalid("include_reply_type")
    }
    if let text = request.text("parent_message_id"), text != "0" {
      guard let parent = Int64(text) else { throw .notNumber("parent_message_id") }
      query.replies = .to(parent)
    }
    switch request.text("message_type") {
    case nil, "", "all": query.kind = nil
    case let name?:
      guard let kind = SendbirdMessage.Kind(rawValue: name) else { throw .invalid("message_type") }
      query.kind = kind
    }
    query.customTypes = request.texts("custom_types").flatMap { $0.contains("*") ? nil : $0 }
    query.senders = (request.texts("sender_ids") ?? request.texts("sender_id")).map { Set($0.map { UserID($0) }) }
  }

  private func count(
    _ kind: SendbirdChannel.Kind, _ request: SendbirdRequest
  ) async throws(SendbirdError) -> HTTPResponse {
    let channel = try await visible(kind, request)
    let end = SendbirdMessageQuery(
      around: .time(services.wallTime), before: .max, after: .max, includesPoint: true)
    let messages = try await ask { () throws(SendbirdChannelRefusal) in
      try await channels.messages(of: channel.url, end, at: services.wallTime)
    }
    return SendbirdResource.answer { $0.member("total", Int64(messages.count)) }
  }

  private func oneMessage(
    _ kind: SendbirdChannel.Kind, _ request: SendbirdRequest
  ) async throws(SendbirdError) -> HTTPResponse {
    let channel = try await visible(kind, request)
    let id = try messageID(request)
    let message = try await ask { () throws(SendbirdChannelRefusal) in
      try await channels.message(id, in: channel.url, at: services.wallTime)
    }
    return Self.answer(message, kind)
  }

  func messageID(_ request: SendbirdRequest) throws(SendbirdError) -> Int64 {
    guard let id = Int64(request.path["message_id"]) else { throw .notNumber("message_id") }
    return id
  }

  static func answer(_ message: SendbirdMessage, _ kind: SendbirdChannel.Kind) -> HTTPResponse {
    SendbirdResource.answer { SendbirdMessageObject(message, kind).writeMembers(to: &$0) }
  }
}
