internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

/// The routes of polls. Their creators change them; members of the poll's channel see them and vote.
struct SendbirdPollRoutes: Sendable {
  private let base: SendbirdChannelRoutes
  private var services: any GatewayServices { base.services }
  private var channels: SendbirdChannels { base.channels }

  /// Creates the routes.
  ///
  /// - Parameter channels: The channels, which decide who sees a poll.
  init(channels: SendbirdChannelRoutes) {
    base = channels
  }

  var routes: [HTTPRoute] {
    let resource = base.resource
    let (one, option) = ("/v3/polls/{poll_id}", "/v3/polls/{poll_id}/options/{option_id}")
    var routes = [
      resource.route("POST", "/v3/polls") { request throws(SendbirdError) in try await create(request) },
      resource.route("GET", "/v3/polls") { request throws(SendbirdError) in try await list(request) },
      resource.route("GET", one) { request throws(SendbirdError) in
        answer(try await visible(request), request)
      },
      resource.route("PUT", one) { request throws(SendbirdError) in try await update(request) },
      resource.route("DELETE", one) { request throws(SendbirdError) in try await delete(request) },
      resource.route("PUT", one + "/close") { request throws(SendbirdError) in
        try await change(request) { (poll) throws(SendbirdChannelRefusal) in poll.close(at: services.wallTime) }
      },
      resource.route("PUT", one + "/vote") { request throws(SendbirdError) in try await vote(request) },
      resource.route("POST", one + "/options") { request throws(SendbirdError) in try await addOption(request) },
      resource.route("GET", option) { request throws(SendbirdError) in try await showOption(request) },
      resource.route("PUT", option) { request throws(SendbirdError) in
        let (id, text) = (try Self.number("option_id", request), try Self.optionText(request))
        return try await change(request) { (poll) throws(SendbirdChannelRefusal) in
          try poll.rename(id, text, at: services.wallTime)
        }
      },
      resource.route("DELETE", option) { request throws(SendbirdError) in
        let id = try Self.number("option_id", request)
        return try await change(request) { (poll) throws(SendbirdChannelRefusal) in
          try poll.remove(id, at: services.wallTime)
        }
      },
      resource.route("GET", option + "/voters") { request throws(SendbirdError) in try await voters(request) },
    ]
    routes += SendbirdChannel.Kind.allCases.map { kind in
      resource.route("GET", SendbirdChannelRoutes.path(kind) + "/{channel_url}/polls/changelogs") {
        request throws(SendbirdError) in try await changes(kind, request)
      }
    }
    return routes
  }

  private static func number(_ name: String, _ request: SendbirdRequest) throws(SendbirdError) -> Int64 {
    guard let number = Int64(request.path[name]), number > 0 else { throw .notNumber(name) }
    return number
  }

  private static func optionText(_ request: SendbirdRequest) throws(SendbirdError) -> String {
    try request.body.requiredString("text", max: SendbirdLimits.poll)
  }

  // MARK: Access

  /// Returns the poll in the path if the caller is its creator or sees its channel.
  private func visible(_ request: SendbirdRequest) async throws(SendbirdError) -> SendbirdPoll {
    let id = try Self.number("poll_id", request)
    let poll = try await base.ask { () throws(SendbirdChannelRefusal) in
      try await channels.poll(id, at: services.wallTime)
    }
    guard case .user(let user, _) = request.caller, poll.createdBy != user else { return poll }
    guard let url = poll.channel, try await hasJoined(user, url) else { throw .notAuthorized }
    return poll
  }

  /// Returns whether the user may see polls of the channel.
  private func hasJoined(_ user: UserID, _ url: Name) async throws(SendbirdError) -> Bool {
    try await base.ask { () throws(SendbirdChannelRefusal) in
      guard let channel = try await channels.outline(url, at: services.wallTime) else { return false }
      return channel.kind == .open || channel.joined.contains(user)
    }
  }

  private func own(_ request: SendbirdRequest) async throws(SendbirdError) -> SendbirdPoll {
    try request.needsWriter()
    let poll = try await visible(request)
    if case .user(let user, _) = request.caller, poll.createdBy != user { throw .notAuthorized }
    return poll
  }

  // MARK: Polls

  private func create(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    try request.needsWriter()
    let (body, now) = (try request.body, services.wallTime)
    let named = try body.user("created_by")
    let creator = request.actor(try body.user("user_id") ?? named)
    if let creator, try await base.directory.find(creator, at: now) == nil { throw .notFound("User") }
    var poll = SendbirdPoll(
      title: try body.requiredString("title", max: SendbirdLimits.poll), data: try Self.data(body), createdBy: creator,
      closeAt: try Self.end(body), at: now)
    poll.allowsSuggestions = try body.bool("allow_user_suggestion") ?? false
    poll.allowsMultipleVotes = try body.bool("allow_multiple_votes") ?? false
    let texts = try Self.options(body)
    poll = try await base.ask { [poll] () throws(SendbirdChannelRefusal) in
      var poll = poll
      for text in texts { try poll.add(text, by: creator, at: now) }
      return try await channels.create(poll, at: now)
    }
    return answer(poll, request)
  }

  /// Reads the options: texts, or objects with a text.
  private static func options(_ body: SendbirdParameters) throws(SendbirdError) -> [String] {
    var texts: [String] = []
    for view in try body.array("options", count: SendbirdPoll.optionsMax) ?? [] {
      guard let text = view.string ?? view["text"]?.string, !text.isEmpty else { throw .notString("options") }
      guard text.unicodeScalars.count <= SendbirdLimits.poll else { throw .tooLong("text", max: SendbirdLimits.poll) }
      texts.append(text)
    }
    guard !texts.isEmpty else { throw .missing("options") }
    return texts
  }

  private static func data(_ body: SendbirdParameters) throws(SendbirdError) -> String? {
    try body.object("data")?.string("text", max: SendbirdLimits.messageData)
  }

  /// Reads the end; -1 or no value is never.
  private static func end(_ body: SendbirdParameters) throws(SendbirdError) -> WallTime? {
    guard let value = body.value("close_at"), value.integer != -1 else { return nil }
    return try body.time("close_at")
  }

  private func update(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    let body = try request.body
    let (title, data) = (try body.string("title", max: SendbirdLimits.poll), try Self.data(body))
    let (suggestions, multiple) = (try body.bool("allow_user_suggestion"), try body.bool("allow_multiple_votes"))
    let (end, hasEnd, now) = (try Self.end(body), body.value("close_at") != nil, services.wallTime)
    return try await change(request) { (poll) throws(SendbirdChannelRefusal) in
      if let title { poll.title = title }
      if let data { poll.data = data }
      if let suggestions { poll.allowsSuggestions = suggestions }
      if let multiple { poll.allowsMultipleVotes = multiple }
      if hasEnd { poll.closeAt = end }
      poll.updatedAt = now
    }
  }

  private func change(
    _ request: SendbirdRequest, _ change: (inout SendbirdPoll) throws(SendbirdChannelRefusal) -> Void
  ) async throws(SendbirdError) -> HTTPResponse {
    let poll = try await own(request)
    let changed = try await base.ask { () throws(SendbirdChannelRefusal) in
      try await channels.changePoll(
        poll.id, at: services.wallTime, telling: { await base.events.edited($0, $1, on: services) }, change)
    }
    return answer(changed, request)
  }

  private func delete(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    let poll = try await own(request)
    try await base.ask { () throws(SendbirdChannelRefusal) in
      try await channels.deletePoll(poll.id, at: services.wallTime)
    }
    return SendbirdResource.answer()
  }

  private func answer(_ poll: SendbirdPoll, _ request: SendbirdRequest) -> HTTPResponse {
    let object = SendbirdPollObject(poll: poll, viewer: request.actor(nil), now: services.wallTime)
    return SendbirdResource.answer { object.writeMembers(to: &$0) }
  }

  // MARK: Votes and options

  private func vote(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    try request.needsWriter()
    let (poll, body, now) = (try await visible(request), try request.body, services.wallTime)
    guard let user = request.actor(try body.user("user_id")) else { throw .missing("user_id") }
    guard let url = poll.channel, try await hasJoined(user, url) else { throw .notAuthorized }
    let chosen = try body.optionIDs()
    let voted = try await base.ask { () throws(SendbirdChannelRefusal) in
      try await channels.changePoll(
        poll.id, at: now, telling: { await base.events.voted($0, $1, except: nil, on: services) }
      ) { (poll) throws(SendbirdChannelRefusal) in try poll.vote(chosen, by: user, at: now) }
    }
    return answer(voted, request)
  }

  /// Adds an option: for the poll's creator, and for all users who see it if it allows suggestions.
  private func addOption(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    try request.needsWriter()
    let (poll, text, now) = (try await visible(request), try Self.optionText(request), services.wallTime)
    let user = request.actor(try request.body.user("created_by"))
    if case .user(let user, _) = request.caller, poll.createdBy != user, !poll.allowsSuggestions {
      throw .notAuthorized
    }
    let changed = try await base.ask { () throws(SendbirdChannelRefusal) in
      try await channels.changePoll(
        poll.id, at: now, telling: { await base.events.edited($0, $1, on: services) }
      ) { (poll) throws(SendbirdChannelRefusal) in _ = try poll.add(text, by: user, at: now) }
    }
    return answer(changed, request)
  }

  private func found(_ request: SendbirdRequest) async throws(SendbirdError) -> (SendbirdPoll, SendbirdPoll.Option) {
    let (poll, id) = (try await visible(request), try Self.number("option_id", request))
    guard let option = poll.options.first(where: { $0.id == id }) else { throw .notFound("PollOption") }
    return (poll, option)
  }

  private func showOption(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    let (poll, option) = try await found(request)
    return SendbirdResource.answer { SendbirdPollObject.write(option, of: poll, to: &$0) }
  }

  private func voters(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    let (_, option) = try await found(request)
    let page = try SendbirdPage(of: option.voters, for: request, by: \.rawValue)
    let users = try await base.directory.find(Set(page.items), at: services.wallTime)
    return SendbirdResource.answer { json in
      json.member("voters", objects: page.items) { id, json in
        json.members(of: users[id] ?? SendbirdUser(id, createdAt: option.createdAt))
      }
      json.member("vote_count", Int64(option.voters.count))
      json.member("next", page.next)
    }
  }

  // MARK: Lists

  private func list(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    guard let url = request.text("channel_url").map({ Name($0) }) else { throw .missing("channel_url") }
    if case .user(let user, _) = request.caller, try await !hasJoined(user, url) { throw .notAuthorized }
    let now = services.wallTime
    let all = try await base.ask { () throws(SendbirdChannelRefusal) in
      try await channels.polls(in: url, since: WallTime(nanoseconds: 0), at: now).polls
    }
    let page = try SendbirdPage(of: all, for: request, by: { String($0.id) })
    return SendbirdResource.answer { json in
      json.member("polls", objects: page.items) { poll, json in
        SendbirdPollObject(poll: poll, viewer: request.actor(nil), now: now).writeMembers(to: &json)
      }
      json.member("next", page.next)
    }
  }

  /// Returns all changes since a time or an earlier answer, on one page.
  private func changes(
    _ kind: SendbirdChannel.Kind, _ request: SendbirdRequest
  ) async throws(SendbirdError) -> HTTPResponse {
    let channel = try await base.visible(kind, request)
    let token = request.text("token").map { SendbirdChangeToken($0) }
    if let token, token == nil { throw .invalid("token") }
    let time = try request.time("change_ts")
    guard let since = token.flatMap({ $0?.since }) ?? time else { throw .missing("change_ts") }
    let now = services.wallTime
    let (polls, deleted) = try await base.ask { () throws(SendbirdChannelRefusal) in
      try await channels.polls(in: channel.url, since: since, at: now)
    }
    return SendbirdResource.answer { json in
      json.member("updated", objects: polls) { poll, json in
        SendbirdPollObject(poll: poll, viewer: request.actor(nil), now: now).writeMembers(to: &json)
      }
      json.name("deleted")
      json.beginArray()
      for id in deleted { json.integer(id) }
      json.endArray()
      json.member("has_more", false)
      json.member("next", SendbirdChangeToken(behind: now).text)
    }
  }
}

extension Fields<SendbirdWords> {
  /// Reads the poll options in a body.
  func optionIDs() throws(SendbirdError) -> Set<Int64> {
    guard let views = try array("option_ids", count: SendbirdPoll.optionsMax) else { throw .missing("option_ids") }
    var ids: Set<Int64> = []
    for view in views {
      guard let id = view.integer else { throw .notNumber("option_ids") }
      ids.insert(id)
    }
    return ids
  }
}
