internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

// Changes to messages other than their content: reactions, pins, translations.

extension SendbirdChannelRoutes {
  func markRoutes(_ kind: SendbirdChannel.Kind) -> [HTTPRoute] {
    let one = Self.path(kind) + "/{channel_url}"
    let message = one + "/messages/{message_id}"
    return [
      resource.route("GET", message + "/reactions") { request throws(SendbirdError) in
        try await reactions(kind, request)
      },
      resource.route("POST", message + "/reactions") { request throws(SendbirdError) in
        try await react(kind, isAdding: true, request)
      },
      resource.route("DELETE", message + "/reactions") { request throws(SendbirdError) in
        try await react(kind, isAdding: false, request)
      },
      resource.route("POST", message + "/pin") { request throws(SendbirdError) in
        try await setPinned(true, kind, request)
      },
      resource.route("DELETE", message + "/pin") { request throws(SendbirdError) in
        try await setPinned(false, kind, request)
      },
      resource.route("GET", one + "/pinned_messages") { request throws(SendbirdError) in
        try await pinned(kind, request)
      },
      resource.route("POST", message + "/translation") { request throws(SendbirdError) in
        try await translate(kind, request)
      },
    ]
  }

  // MARK: Reactions

  /// Adds or removes a reaction. A removal names it in the body or in the query.
  private func react(
    _ kind: SendbirdChannel.Kind, isAdding: Bool, _ request: SendbirdRequest
  ) async throws(SendbirdError) -> HTTPResponse {
    try request.needsWriter()
    let (channel, body, id) = (try await known(kind, request), try request.body, try messageID(request))
    let named = try body.string("reaction", max: SendbirdLimits.reaction)
    guard let key = named ?? request.text("reaction"), !key.isEmpty else { throw .missing("reaction") }
    guard key.unicodeScalars.count <= SendbirdLimits.reaction else {
      throw .tooLong("reaction", max: SendbirdLimits.reaction)
    }
    let subject = try body.user("user_id") ?? request.text("user_id").map { UserID($0) }
    guard let user = request.actor(subject) else { throw .missing("user_id") }
    guard try await directory.find(user, at: services.wallTime) != nil else { throw .notFound("User") }
    let now = services.wallTime
    let needsPresence = kind == .group || !request.isServer
    let delivery = try await ask { () throws(SendbirdChannelRefusal) in
      try await channels.react(
        Name(key), isAdding: isAdding, to: id, in: channel.url, by: user, needsPresence: needsPresence, at: now
      ) { delivery in
        guard delivery.isChange else { return }
        let frame = SendbirdFrame.command("RXNS", capacity: 256) { json in
          Self.write(delivery, key, user, isAdding, at: now, to: &json)
        }
        await events.changed(frame, delivery, except: nil, on: services)
      }
    }
    return SendbirdResource.answer { Self.write(delivery, key, user, isAdding, at: now, to: &$0) }
  }

  /// Returns the number of each reaction, or its users.
  private func reactions(
    _ kind: SendbirdChannel.Kind, _ request: SendbirdRequest
  ) async throws(SendbirdError) -> HTTPResponse {
    let (channel, id) = (try await visible(kind, request), try messageID(request))
    let listsUsers = try request.flag("list_users") ?? false
    let message = try await ask { () throws(SendbirdChannelRefusal) in
      try await channels.message(id, in: channel.url, at: services.wallTime)
    }
    return SendbirdResource.answer { json in
      for reaction in message.reactions {
        json.name(reaction.key.text)
        guard listsUsers else {
          json.integer(Int64(reaction.users.count))
          continue
        }
        json.beginArray()
        for user in reaction.users { json.string(user.rawValue) }
        json.endArray()
      }
    }
  }

  private static func write(
    _ delivery: SendbirdDelivery, _ key: String, _ user: UserID, _ isAdding: Bool, at now: WallTime,
    to json: inout JSONWriter
  ) {
    json.member("channel_url", delivery.message.channelURL.text)
    json.member("channel_type", delivery.kind.rawValue)
    json.member("msg_id", delivery.message.id)
    json.member("reaction", key)
    json.member("user_id", user.rawValue)
    json.member("operation", isAdding ? "ADD" : "DELETE")
    json.member("success", true)
    json.member("updated_at", now.milliseconds)
  }

  // MARK: Pins

  private func setPinned(
    _ isPinned: Bool, _ kind: SendbirdChannel.Kind, _ request: SendbirdRequest
  ) async throws(SendbirdError) -> HTTPResponse {
    let (channel, id) = (try await changeable(kind, request), try messageID(request))
    try await pin(id, isPinned, in: channel.url)
    return SendbirdResource.answer()
  }

  func pin(_ id: Int64, _ isPinned: Bool, in url: Name) async throws(SendbirdError) {
    _ = try await ask { () throws(SendbirdChannelRefusal) in
      try await channels.setPinned(isPinned, id, in: url, at: services.wallTime) { channel in
        await events.pinned(channel, on: services)
      }
    }
  }

  private func pinned(
    _ kind: SendbirdChannel.Kind, _ request: SendbirdRequest
  ) async throws(SendbirdError) -> HTTPResponse {
    let channel = try await visible(kind, request)
    let all = try await ask { () throws(SendbirdChannelRefusal) in
      try await channels.pinned(in: channel.url, at: services.wallTime)
    }
    let page = try SendbirdPage(of: all, for: request, by: { String($0.id) })
    return SendbirdResource.answer { json in
      json.member("pinned_messages", objects: page.items) { message, json in
        json.name("message")
        SendbirdMessageObject(message, kind).write(to: &json)
      }
      json.member("has_more", !page.next.isEmpty)
      json.member("end_cursor", page.next)
      json.member("next", page.next)
    }
  }

  // MARK: Translations

  /// Returns a translation, which in every language is the original text.
  private func translate(
    _ kind: SendbirdChannel.Kind, _ request: SendbirdRequest
  ) async throws(SendbirdError) -> HTTPResponse {
    try request.needsWriter()
    let (channel, id) = (try await visible(kind, request), try messageID(request))
    guard let languages = try request.body.languages("target_langs"), !languages.isEmpty else {
      throw .missing("target_langs")
    }
    let delivery = try await ask { () throws(SendbirdChannelRefusal) in
      try await channels.translate(id, in: channel.url, to: languages, at: services.wallTime) { delivery in
        await events.changed(Self.changeCommand(delivery.message.kind), delivery, except: nil, on: services)
      }
    }
    return Self.answer(delivery.message, kind)
  }
}
